import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * The id of each change that callers were promised, by which a server proves that it has them (ADR 62). The previous version writes
 * none, so nothing is asked of a server for its changes.
 */
export const promisedChanges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await statement.execute(db);
  },
};

const STATEMENTS = [
  sql`
    create table promised_changes (
      change_id uuid primary key default gen_random_uuid(),
      made_at timestamptz not null default clock_timestamp()
    )`,
  sql`create index promised_changes_by_time on promised_changes (made_at)`,
];
