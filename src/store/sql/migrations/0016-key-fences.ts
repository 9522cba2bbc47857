import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Where the requests of keys may come from. `allow_browser` is true by default: for keys that exist, and for those that the
 * previous version makes, whose creators could not choose. This version writes all three columns.
 */
export const keyFences: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      alter table api_keys
        add column allowed_ips jsonb not null default '[]',
        add column allowed_origins jsonb not null default '[]',
        add column allow_browser boolean not null default true`.execute(db);
    await TRIGGER.execute(db);
  },
};

/**
 * Any update of a key is a change of its record, since its last use is in another table. Migration 3 listed the columns, so that
 * those of later migrations were missing from it: an operator's SQL would not have bound.
 */
const TRIGGER = sql`
  create or replace trigger key_changed after delete or update on api_keys
  for each row execute function list_key_change()`;
