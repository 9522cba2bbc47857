import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { openDatabase, type SqlDatabase } from "../../src/store/sql/database.ts";
import type { Hint, Listener } from "../../src/store/sql/hints.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";

const serverUrl = inject("postgresUrl");
let url: string;
let [here, there]: SqlDatabase[] = [];
let listener: Listener;
let heard: (Hint | "hearing" | "deaf")[];

beforeEach(async () => {
  url = await createDatabase(serverUrl);
  const replicas = await Promise.all([1, 2].map(() => openDatabase({ kind: "postgres", url, poolSize: 2 })));
  [here, there] = replicas;
  heard = [];
  listener = replica(here).listen({
    onHint: (hint) => heard.push(hint),
    onChange: (hearing) => heard.push(hearing ? "hearing" : "deaf"),
  });
  await expect.poll(() => heard).toEqual(["hearing"]);
});
afterEach(async () => {
  await listener.close();
  await Promise.all([replica(here).close(), replica(there).close()]);
  await dropDatabase(serverUrl, url);
});

function replica(database: SqlDatabase | undefined): SqlDatabase {
  if (database === undefined) throw new Error("not open");
  return database;
}

const tell = (from: SqlDatabase | undefined, hint: Hint) => replica(from).tellOthers(replica(from).db, hint);

const asAdmin = (statement: string) => asAdminOf(url, statement);

async function asAdminOf(databaseUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}

describe("a replica", () => {
  test("hears what another one tells, and not itself", async () => {
    await tell(here, { kind: "ended", threadId: "thr_own" });
    await tell(there, { kind: "queued" });
    await tell(there, { kind: "ended", threadId: "thr_1" });
    await expect.poll(() => heard).toEqual(["hearing", { kind: "queued" }, { kind: "ended", threadId: "thr_1" }]);
  });

  test("hears nothing of a transaction that is rolled back", async () => {
    const rolledBack = replica(there)
      .db.transaction()
      .execute(async (trx) => {
        await replica(there).tellOthers(trx, { kind: "ended", threadId: "thr_never" });
        throw new Error("no");
      });
    await expect(rolledBack).rejects.toThrow("no");
    await tell(there, { kind: "queued" });
    await expect.poll(() => heard).toEqual(["hearing", { kind: "queued" }]);
  });

  test("takes no notice of what a later version may tell", async () => {
    await asAdmin("select pg_notify('latchkey_runs', x) from unnest(array['', 'x', 'x y z', 'x ended']) x");
    await tell(there, { kind: "queued" });
    await expect.poll(() => heard).toEqual(["hearing", { kind: "queued" }]);
  });

  test("whose connection breaks says so, and hears again by itself", async () => {
    await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen latchkey_runs'`);
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(["hearing", "deaf", "hearing"]);
    await tell(there, { kind: "queued" });
    await expect.poll(() => heard.at(-1)).toEqual({ kind: "queued" });
  });

  test("stops trying to listen when it is told to", async () => {
    await dropDatabase(serverUrl, url);
    await expect.poll(() => heard).toEqual(["hearing", "deaf"]);
    await listener.close();
    await asAdminOf(serverUrl, `create database ${new URL(url).pathname.slice(1)} template template0`);
    await tell(there, { kind: "queued" });
    expect(heard).toEqual(["hearing", "deaf"]);
  });
});
