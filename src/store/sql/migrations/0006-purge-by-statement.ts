import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Removes old changes once for each statement and not for each row, and compares them with a fixed instant: with
 * `clock_timestamp()` the index gave no bound, so that every change of a key read all changes of the last ten minutes.
 * The previous version keeps working: the change log is read as before.
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

/** Removes some entries that are ten minutes old. Concurrent purges do not wait for each other. */
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

/** Runs after the trigger `key_changed` of migration 3 has logged the changes. */
const TRIGGER = sql`
  create trigger key_changes_listed
  after delete or update of
    key_id, tenant_id, secret_hash, secret_prefix, type, name, description, permissions, requests_per_minute,
    requests_per_hour, burst_size, oidc, expires_at, created_at, updated_at, disabled_at, revoked_at, rotated_to, rotated_from
  on api_keys
  for each statement execute function purge_key_changes()`;
