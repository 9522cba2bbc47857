import { type RawBuilder, sql } from "kysely";

/** The change log, which replicas follow (ADR 22). Triggers write it, so that it also has changes made by hand. */
const CHANGES = [
  sql`
    create table key_changes (
      seq bigint generated always as identity primary key,
      secret_hash bytea not null,
      transaction_id xid8 not null default pg_current_xact_id(),
      changed_at timestamptz(3) not null default clock_timestamp()
    )`,
  sql`create index key_changes_by_transaction on key_changes (transaction_id)`,
];

/**
 * Changes stay in the log until ten minutes after their commit. A row cannot contain the time of its commit, so a snapshot is
 * stored for ten minutes: the changes visible in it were committed by then.
 *
 * It has one row. `transaction_id` took the snapshot, in which its own changes are visible although not committed yet. The log
 * lacks changes that are visible wherever `purged_by` is: a replica that has not seen it starts again.
 */
const WATERMARK = [
  sql`
    create table key_changes_watermark (
      transaction_id xid8 primary key default pg_current_xact_id(),
      snapshot pg_snapshot not null,
      taken_at timestamptz(3) not null default clock_timestamp(),
      purged_by xid8
    )`,
  sql`insert into key_changes_watermark (snapshot) values (pg_current_snapshot())`,
];

/**
 * Any update of a key is a change of its record, since its last use is in another table. The purge runs once for each
 * statement, after this.
 */
const OF_KEYS = [
  sql`
    create function list_key_change() returns trigger language plpgsql as $$
  begin
    insert into key_changes (secret_hash) values (old.secret_hash);
    return null;
  end
  $$`,
  sql`
    create trigger key_changed after delete or update on api_keys
    for each row execute function list_key_change()`,
  sql`
    create trigger key_changes_listed after delete or update on api_keys
    for each statement execute function purge_key_changes()`,
];

/**
 * Usually reads only the one row. Once in ten minutes a change locks that row, while others skip it, and removes some
 * old changes. When no old change is left, the snapshot is renewed.
 *
 * After a restore from a dump, changes and snapshot may come from a server that was further ahead. Then there are
 * changes with transaction ids after all of this server, which are removed, too; and a snapshot that claims to show
 * future transactions.
 *
 * It runs with the rights of its owner, so that a role that may change keys needs no rights on the watermark. Hence it
 * sets its own search path.
 */
const purgeChanges = (searchPath: RawBuilder<unknown>) => sql`
  create function purge_key_changes() returns trigger language plpgsql
  security definer set search_path = ${searchPath} as $$
  declare
    seen pg_snapshot;
    taker xid8;
    removed int := 0;
  begin
    select snapshot, transaction_id into seen, taker from key_changes_watermark
      where taken_at < clock_timestamp() - interval '10 minutes'
      for update skip locked;
    if not found then return null; end if;
    delete from key_changes where seq in (
      select seq from key_changes
      where transaction_id > greatest(pg_snapshot_xmax(pg_current_snapshot()), pg_current_xact_id())
      or (
        pg_snapshot_xmax(seen) <= pg_snapshot_xmax(pg_current_snapshot())
        and transaction_id < pg_snapshot_xmax(seen)
        and pg_visible_in_snapshot(transaction_id, seen)
        and transaction_id <> taker
      )
      limit 1000
    );
    get diagnostics removed = row_count;
    if removed < 1000 then
      update key_changes_watermark
      set transaction_id = default, snapshot = pg_current_snapshot(), taken_at = default;
    end if;
    return null;
  end
  $$`;

/**
 * The purge, which is a trigger itself, removes what the stored snapshot shows: a session that saw the transaction that took
 * the snapshot has seen all of that. Whatever else removes changes removes any of them.
 */
const recordCut = (searchPath: RawBuilder<unknown>) => sql`
  create function record_cut() returns trigger language plpgsql
  security definer set search_path = ${searchPath} as $$
  begin
    update key_changes_watermark
    set purged_by = case when pg_trigger_depth() > 1 then transaction_id else pg_current_xact_id() end;
    return null;
  end
  $$`;

const CUTS = [
  sql`create trigger key_changes_deleted after delete on key_changes for each statement execute function record_cut()`,
  sql`create trigger key_changes_truncated after truncate on key_changes for each statement execute function record_cut()`,
];

/** The hash is that of `tenantSubject`. By hand, a row may be given to another tenant: then both have changed. */
const OF_TENANTS = [
  sql`
    create function list_tenant_change() returns trigger language plpgsql as $$
  begin
    insert into key_changes (secret_hash)
    select distinct sha256(convert_to('tenant:' || changed, 'UTF8'))
    from unnest(array[old.tenant_id, new.tenant_id]) as changed
    where changed is not null;
    return null;
  end
  $$`,
  sql`
    create trigger tenant_suspension_changed after insert or update or delete on tenant_suspensions
    for each row execute function list_tenant_change()`,
  // TRUNCATE fires no row trigger. It counts as a gap in the change log, so that replicas drop all records.
  sql`
    create trigger tenant_suspensions_truncated after truncate on tenant_suspensions
    for each statement execute function record_cut()`,
];

/** As `OF_TENANTS`, with the hash of `userSubject`. */
const OF_MEMBERS = [
  sql`
    create function list_member_change() returns trigger language plpgsql as $$
  begin
    insert into key_changes (secret_hash)
    select distinct sha256(convert_to('user:' || changed, 'UTF8'))
    from unnest(array[old.user_id, new.user_id]) as changed
    where changed is not null;
    return null;
  end
  $$`,
  sql`
    create trigger org_member_changed after insert or update or delete on org_members
    for each row execute function list_member_change()`,
  sql`
    create trigger org_members_truncated after truncate on org_members
    for each statement execute function record_cut()`,
];

/** `searchPath`: of the functions that run with the rights of their owner. */
export const changes = (searchPath: RawBuilder<unknown>) => [
  ...[...CHANGES, ...WATERMARK, purgeChanges(searchPath), recordCut(searchPath)],
  ...[...CUTS, ...OF_KEYS, ...OF_TENANTS, ...OF_MEMBERS],
];
