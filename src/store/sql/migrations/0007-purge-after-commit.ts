import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Keeps a change in the change log until ten minutes after its commit. Before, the time of the statement counted: a
 * change that was committed more than ten minutes later could be removed by the next change, before any replica had
 * read it.
 *
 * A row cannot contain the time of its commit. So a snapshot is stored for ten minutes: the changes visible in it were
 * committed by then. The previous version keeps working: the change log is read as before.
 */
export const purgeAfterCommit: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const { rows } = await sql<{ schema: string }>`select unnest(current_schemas(false)) as schema`.execute(db);
    const schemas = rows.map(({ schema }) => schema);
    for (const statement of [WATERMARK, FIRST, purgeChanges(schemas), UNUSED]) await statement.execute(db);
  },
};

/** Has one row. `transaction_id` took the snapshot, in which its own changes are visible although not committed yet. */
const WATERMARK = sql`
  create table key_changes_watermark (
    transaction_id xid8 primary key default pg_current_xact_id(),
    snapshot pg_snapshot not null,
    taken_at timestamptz(3) not null default clock_timestamp()
  )`;

const FIRST = sql`insert into key_changes_watermark (snapshot) values (pg_current_snapshot())`;

/**
 * Usually reads only the one row. Once in ten minutes a change locks that row, while others skip it, and removes some
 * old changes. When no old change is left, the snapshot is renewed.
 *
 * After a restore from a dump, changes and snapshot may come from a server that was further ahead. Then there are
 * changes with transaction ids after all of this server, which are removed, too; and a snapshot that claims to show
 * future transactions.
 *
 * It runs with the rights of its owner, so that a role that may change keys needs no rights on the new table. Hence it
 * sets its own search path.
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
