import { sql } from "kysely";
import type { SqlDatabase } from "./database.ts";

/** The version of the server, such as `16.4`, without what its packager adds. */
export async function serverVersion({ db }: Pick<SqlDatabase, "db">): Promise<string> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db);
  return rows[0]?.version.split(" ", 1)[0] ?? "unknown";
}
