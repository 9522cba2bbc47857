import { type Kysely, sql } from "kysely";
import type { Schema } from "../schema.ts";

/**
 * Runs a transaction that writes only what the service keeps for itself: counters, leases of jobs, removals of old rows. Its commit
 * waits for no standby, so a standby that is away stops none of this work. What callers were promised commits on `database.db`.
 */
export function commitLocally<T>(db: Kysely<Schema>, work: (trx: Kysely<Schema>) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await sql`set local synchronous_commit = local`.execute(trx);
    return work(trx);
  });
}

/**
 * For a single statement on a busy path: a first `with` query that makes its commit wait for no standby. The statement must
 * reference it by `IS_LOCAL`, or the server does not run it. The setting ends with the statement, also behind a pooler in transaction
 * mode, where a setting of the session would stay with the server's connection.
 */
export const LOCAL = sql`local_commit as materialized (select set_config('synchronous_commit', 'local', true))`;
export const IS_LOCAL = sql<boolean>`exists (select from local_commit)`;
