import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * A change stays in the list until ten minutes after its commit. By the time of its statement, a change that was committed
 * later than that could be removed by the next one, before any replica had read it.
 *
 * When a change was committed, no row can tell. So a snapshot is kept for ten minutes: what it shows was committed by then.
 * The previous version goes on as before: the list is read as it was.
 */
export const purgeAfterCommit: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const { rows } = await sql<{ schema: string }>`select unnest(current_schemas(false)) as schema`.execute(db);
    const schemas = rows.map(({ schema }) => schema);
    for (const statement of [WATERMARK, FIRST, purgeChanges(schemas), UNUSED]) await statement.execute(db);
  },
};

/** One row. `transaction_id` took the snapshot, which shows its own changes although they are not committed yet. */
const WATERMARK = sql`
  create table key_changes_watermark (
    transaction_id xid8 primary key default pg_current_xact_id(),
    snapshot pg_snapshot not null,
    taken_at timestamptz(3) not null default clock_timestamp()
  )`;

const FIRST = sql`insert into key_changes_watermark (snapshot) values (pg_current_snapshot())`;

/**
 * Looks at nothing but the one row, but for once in ten minutes, when one change locks it, and others pass by. Until no old
 * change is left each removes some; then the snapshot is renewed.
 *
 * Restored from a dump, changes and snapshot may be of a server that was further: then there are changes that begin later
 * than all of this one, which nobody waits for, and the snapshot seems to show what is yet to come.
 *
 * As the owner, so that whoever may change keys needs no right on the new table; hence with a path of its own.
 */
const purgeChanges = (schemas: readonly string[]) => sql`
  create or replace function purge_key_changes() returns trigger language plpgsql
  security definer set search_path = ${sql.join([...schemas, "pg_temp"].map((schema) => sql.id(schema)))} as $$
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

const UNUSED = sql`drop index key_changes_by_age`;
