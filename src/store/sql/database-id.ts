import { sql } from "kysely";
import type { SqlDatabase } from "./database.ts";
import { translateOutage } from "./sql-errors.ts";

/** Stands for the cluster's id where the server does not let us read it: some hosts allow that to no user. */
const UNKNOWN_ID = "0";

/**
 * Identifies a database among all others, by two ids: that of its cluster, which `initdb` creates and a promoted
 * standby keeps, and its own within the cluster. A copy of the cluster's files has the same ids. May throw
 * `StoreUnavailable`.
 */
export function readDatabaseId({ db }: SqlDatabase): Promise<string> {
  return translateOutage(async () => {
    const { rows: allowed } = await sql<{ oid: string; is_allowed: boolean }>`
      select oid::text, has_function_privilege('pg_control_system()', 'execute') as is_allowed
      from pg_database where datname = current_database()`.execute(db);
    const [{ oid, is_allowed } = { oid: UNKNOWN_ID, is_allowed: false }] = allowed;
    if (!is_allowed) return `${UNKNOWN_ID}.${oid}`;
    const { rows } = await sql<{ id: string }>`select system_identifier::text as id from pg_control_system()`.execute(
      db,
    );
    return `${rows[0]?.id ?? UNKNOWN_ID}.${oid}`;
  });
}
