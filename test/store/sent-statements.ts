import pg from "pg";
import { vi } from "vitest";
import { databaseOf } from "../servers/postgres.ts";
import type { Statement } from "./many-rows.ts";

/** Calls for each statement that this process sends to a database, until mocks are restored. Other files of the worker have others. */
export function onStatements(url: string, onStatement: (statement: Statement) => void): void {
  const { query } = pg.Client.prototype;
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [first, values = []] = args as [string | { text: string; values: unknown[] }, unknown[]?];
    const { text, values: parameters } = typeof first === "string" ? { text: first, values } : first;
    if (this.database === databaseOf(url)) onStatement({ sql: text, parameters });
    return Reflect.apply(query, this, args);
  });
}
