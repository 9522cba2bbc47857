import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * The rights after promised changes, by which replicas make them again on a server that lacks them (ADR 63). The previous version
 * promises changes without it. Its replicas count as having repaired the server on which they registered.
 */
export const lostChanges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await statement.execute(db);
  },
};

const STATEMENTS = [
  sql`alter table promised_changes add column promise jsonb, add column transaction_id xid8`,
  // Apart from the column, so that existing rows are not rewritten.
  sql`alter table promised_changes alter column transaction_id set default pg_current_xact_id()`,
  sql`create index promised_changes_by_transaction on promised_changes (transaction_id)`,
  sql`alter table replicas add column mended text`,
  sql`alter table replicas alter column mended set default extract(epoch from pg_postmaster_start_time())::text`,
  sql`update replicas set mended = default`,
];
