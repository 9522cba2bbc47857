import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Indexes for more filters of the list of keys (ADR 46). The previous version does not need them. */
export const keyFilters: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await statement.execute(db);
  },
};

const STATEMENTS = [
  sql`
    create index api_keys_by_own_expiry on api_keys (tenant_id, expires_at)
    include (created_at, seq) where expires_at is not null`,
  sql`
    create index api_keys_leaked on api_keys (tenant_id, created_at desc, seq desc)
    where leaked_at is not null`,
  // Which keys have a text, and which are unused, is not in the order of any index: all that decides it is in this one, so that
  // no row of the wide table is read.
  sql`
    create index api_keys_sought on api_keys (tenant_id, created_at desc, seq desc)
    include (key_id, name, external_id)`,
  sql`create index api_keys_with_metadata on api_keys (tenant_id, seq) where metadata is not null`,
];
