import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * The change log of keys, which replicas follow (`key-changes.ts`). A trigger writes it, so that it also contains
 * changes made by another version or by hand.
 */
export const keyChanges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [KEY_CHANGES, BY_TRANSACTION, BY_AGE, LIST_CHANGE, TRIGGER]) await statement.execute(db);
  },
};

const KEY_CHANGES = sql`
  create table key_changes (
    seq bigint generated always as identity primary key,
    secret_hash bytea not null,
    transaction_id xid8 not null default pg_current_xact_id(),
    changed_at timestamptz(3) not null default clock_timestamp()
  )`;

const BY_TRANSACTION = sql`create index key_changes_by_transaction on key_changes (transaction_id)`;

const BY_AGE = sql`create index key_changes_by_age on key_changes (changed_at)`;

/** Each change removes some entries that are ten minutes old. Concurrent changes do not wait for each other. */
const LIST_CHANGE = sql`
  create function list_key_change() returns trigger language plpgsql as $$
  begin
    insert into key_changes (secret_hash) values (old.secret_hash);
    delete from key_changes where seq in (
      select seq from key_changes
      where changed_at < clock_timestamp() - interval '10 minutes'
      order by changed_at limit 10
      for update skip locked
    );
    return null;
  end
  $$`;

/** All columns of a record except its last use, which is written all the time and decides about no request. */
const TRIGGER = sql`
  create trigger key_changed
  after delete or update of
    key_id, tenant_id, secret_hash, secret_prefix, type, name, description, permissions, requests_per_minute,
    requests_per_hour, burst_size, oidc, expires_at, created_at, updated_at, disabled_at, revoked_at, rotated_to, rotated_from
  on api_keys
  for each row execute function list_key_change()`;
