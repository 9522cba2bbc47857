import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Suspensions of tenants, and their changes in the change log of keys (ADR 24). The previous version keeps working, but
 * does not know of suspensions: it drops a record that it does not have.
 */
export const tenants: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [SUSPENSIONS, LIST_CHANGE, CHANGED, TRUNCATED]) await statement.execute(db);
  },
};

/** A tenant is suspended if it has a row. */
const SUSPENSIONS = sql`
  create table tenant_suspensions (
    tenant_id text primary key,
    reason text not null,
    suspended_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
  )`;

/** The hash is that of `tenantSubject`. By hand, a row may be given to another tenant: then both have changed. */
const LIST_CHANGE = sql`
  create function list_tenant_change() returns trigger language plpgsql as $$
  begin
    insert into key_changes (secret_hash)
    select distinct sha256(convert_to('tenant:' || changed, 'UTF8'))
    from unnest(array[old.tenant_id, new.tenant_id]) as changed
    where changed is not null;
    return null;
  end
  $$`;

const CHANGED = sql`
  create trigger tenant_suspension_changed after insert or update or delete on tenant_suspensions
  for each row execute function list_tenant_change()`;

/** TRUNCATE fires no row trigger. It counts as a gap in the change log, so that replicas drop all records. */
const TRUNCATED = sql`
  create trigger tenant_suspensions_truncated after truncate on tenant_suspensions
  for each statement execute function record_cut()`;
