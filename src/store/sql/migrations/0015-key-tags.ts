import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * What tenants keep with their keys. The previous version writes neither column: the keys that it makes have none, also by a
 * rotation of one that has.
 */
export const keyTags: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      alter table api_keys
        add column metadata json,
        add column external_id text`.execute(db);
    await BY_EXTERNAL_ID.execute(db);
  },
};

const BY_EXTERNAL_ID = sql`
  create index if not exists api_keys_by_external_id on api_keys (tenant_id, external_id)
  where external_id is not null`;
