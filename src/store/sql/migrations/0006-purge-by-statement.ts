import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Old changes are removed once for a statement and not for each of its rows, and found by an instant that does not move:
 * with `clock_timestamp()` the index gave no bound, so that every change of a key read all those of the last ten minutes.
 * The previous version goes on as before: the list is read as it was.
 */
export const purgeByStatement: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [LIST_CHANGE, PURGE_CHANGES, TRIGGER]) await statement.execute(db);
  },
};

const LIST_CHANGE = sql`
  create or replace function list_key_change() returns trigger language plpgsql as $$
  begin
    insert into key_changes (secret_hash) values (old.secret_hash);
    return null;
  end
  $$`;

/** Removes some that are ten minutes old. It waits for no other that does the same. */
const PURGE_CHANGES = sql`
  create function purge_key_changes() returns trigger language plpgsql as $$
  begin
    delete from key_changes where seq in (
      select seq from key_changes
      where changed_at < statement_timestamp() - interval '10 minutes'
      order by changed_at limit 1000
      for update skip locked
    );
    return null;
  end
  $$`;

/** After what `key_changed` of migration 3 lists. */
const TRIGGER = sql`
  create trigger key_changes_listed
  after delete or update of
    key_id, tenant_id, secret_hash, secret_prefix, type, name, description, permissions, requests_per_minute,
    requests_per_hour, burst_size, oidc, expires_at, created_at, updated_at, disabled_at, revoked_at, rotated_to, rotated_from
  on api_keys
  for each statement execute function purge_key_changes()`;
