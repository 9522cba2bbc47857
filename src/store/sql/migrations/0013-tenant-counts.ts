import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { ownSearchPath } from "./search-path.ts";

/**
 * A row for each tenant that has keys, an organization or a suspension, so that their list reads no keys, and an index that has ended
 * keys in the order of their ends, for their removal (ADR 64). Triggers keep the rows, so the previous version keeps them, too.
 */
export const tenantCounts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements(await ownSearchPath(db))) await statement.execute(db);
  },
};

const COUNTED = ["api_keys", "orgs", "tenant_suspensions"];

/** No row of these tables changes its tenant. Counts are locked in the order of their ids, so that two sessions cannot deadlock. */
const countRows = (searchPath: RawBuilder<unknown>) => sql`
  create function count_rows_of_tenants() returns trigger language plpgsql
  security definer set search_path = ${searchPath} as $$
  declare
    is_key int := case when tg_table_name = 'api_keys' then 1 else 0 end;
  begin
    if tg_op = 'INSERT' then
      insert into tenant_counts (tenant_id, keys, others)
      select tenant_id, count(*) * is_key, count(*) * (1 - is_key) from changed group by tenant_id order by tenant_id
      on conflict (tenant_id) do update
      set keys = tenant_counts.keys + excluded.keys, others = tenant_counts.others + excluded.others;
    else
      perform from tenant_counts where tenant_id in (select tenant_id from changed) order by tenant_id for update;
      update tenant_counts set keys = keys - removed.rows * is_key, others = others - removed.rows * (1 - is_key)
      from (select tenant_id, count(*) as rows from changed group by tenant_id) as removed
      where tenant_counts.tenant_id = removed.tenant_id;
      delete from tenant_counts
      where tenant_id in (select tenant_id from changed) and keys = 0 and others = 0;
    end if;
    return null;
  end
  $$`;

/** The triggers lock the tables for writers until the end of the migration, so the counts are right from then on. */
const statements = (searchPath: RawBuilder<unknown>) => [
  sql`
    create table tenant_counts (
      tenant_id text primary key,
      keys int not null,
      others int not null
    ) with (fillfactor = 50)`,
  sql`create index tenant_counts_in_order on tenant_counts (tenant_id collate "C")`,
  countRows(searchPath),
  ...COUNTED.flatMap((table) => [
    sql`
      create trigger ${sql.id(`${table}_added`)} after insert on ${sql.id(table)} referencing new table as changed
      for each statement execute function count_rows_of_tenants()`,
    sql`
      create trigger ${sql.id(`${table}_removed`)} after delete on ${sql.id(table)} referencing old table as changed
      for each statement execute function count_rows_of_tenants()`,
  ]),
  sql`
    insert into tenant_counts (tenant_id, keys, others)
    select tenant_id, sum(keys), sum(others) from (
      select tenant_id, count(*) as keys, 0 as others from api_keys group by tenant_id
      union all select tenant_id, 0, 1 from orgs
      union all select tenant_id, 0, 1 from tenant_suspensions
    ) as counted group by tenant_id`,
  sql`
    create index if not exists api_keys_by_end on api_keys (least(revoked_at, expires_at))
    where revoked_at is not null or expires_at is not null`,
];
