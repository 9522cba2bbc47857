import { sql } from "kysely";
import type { SqlDatabase } from "./database.ts";
import { guard } from "./errors.ts";

/** Where the server does not let us ask for the cluster's: some hosts keep it from everybody. */
const NOT_TOLD = "0";

/**
 * What tells a database from every other: its cluster's id, which `initdb` makes and a promoted standby shares, and its own in
 * there. A copy of the cluster's files has the same. Throws `StoreUnavailable`.
 */
export function readDatabaseId({ db }: SqlDatabase): Promise<string> {
  return guard(async () => {
    const { rows: allowed } = await sql<{ oid: string; may_ask: boolean }>`
      select oid::text, has_function_privilege('pg_control_system()', 'execute') as may_ask
      from pg_database where datname = current_database()`.execute(db);
    const [{ oid, may_ask } = { oid: NOT_TOLD, may_ask: false }] = allowed;
    if (!may_ask) return `${NOT_TOLD}.${oid}`;
    const { rows } = await sql<{ id: string }>`select system_identifier::text as id from pg_control_system()`.execute(
      db,
    );
    return `${rows[0]?.id ?? NOT_TOLD}.${oid}`;
  });
}
