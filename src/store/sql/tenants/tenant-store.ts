import { type Kysely, sql } from "kysely";
import type { Act } from "../../../domain/audit/event.ts";
import { beingErased } from "../../../domain/erasures/erase.ts";
import type { Tenant, TenantState } from "../../../domain/tenants/tenant.ts";
import type { TenantStore } from "../../../domain/tenants/tenant-store.ts";
import type { Page, PageRequest } from "../../../domain/vocabulary/page.ts";
import type { Invalidation } from "../../replicas/invalidation.ts";
import { tenantSubject } from "../../replicas/subjects.ts";
import { recordChange } from "../audit/audit-rows.ts";
import { createBatches } from "../driver/batches.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { isStale, refuseStale } from "../driver/history.ts";
import { OPERATOR } from "../driver/list-turns.ts";
import { type Listed, offsetOf, pageOf } from "../driver/paging.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import { isTenantOpen } from "../erasures/erasure-rows.ts";
import { changeBound, NO_CACHE } from "../replicas/bound-change.ts";
import type { Schema } from "../schema.ts";

/** Tenants in SQL. Uses `database.db` outside transactions only. */
export function createTenantStore(database: SqlDatabase, invalidation: Invalidation = NO_CACHE): TenantStore {
  const { db, lists } = database;
  const findInBatch = createBatches((tenantIds: readonly string[]) => findTenants(database, tenantIds));
  return {
    findTenant: (tenantId) => translateOutage(() => findInBatch("", tenantId)),
    setSuspension: (tenantId, reason, act) =>
      translateOutage(() =>
        changeBound(db, invalidation, tenantSubject(tenantId), async (trx) => ({
          result: await setSuspension(trx, tenantId, reason, act),
          state: { kind: "tenant", tenantId, isSuspended: reason !== null },
          requestId: act.requestId,
        })),
      ),
    getTenant: (tenantId) => translateOutage(() => lists(OPERATOR, (reader) => getTenant(reader, tenantId))),
    listTenants: ({ onlySuspended }, page) =>
      translateOutage(() => lists(OPERATOR, (reader) => listTenants(reader, onlySuspended, page))),
  };
}

interface StatesRow {
  readonly is_stale: boolean;
  readonly suspended: readonly string[] | null;
}

const ACTIVE: TenantState = Object.freeze({ isSuspended: false });
const SUSPENDED: TenantState = Object.freeze({ isSuspended: true });

/** Throws if the server may lack a change that was acknowledged. */
async function findTenants(database: SqlDatabase, tenantIds: readonly string[]): Promise<TenantState[]> {
  const ids = JSON.stringify([...new Set(tenantIds)]);
  const query = sql<StatesRow>`
    select ${isStale(database.history)} as is_stale, (
      select json_agg(tenant_id) from tenant_suspensions
      where tenant_id in (select jsonb_array_elements_text(cast(${ids} as text)::jsonb))
    ) as suspended`.compile(database.db);
  const rows = await database.prepared("find_tenants", query);
  refuseStale(rows);
  const suspended = new Set(rows[0]?.suspended);
  return tenantIds.map((tenantId) => (suspended.has(tenantId) ? SUSPENDED : ACTIVE));
}

/** A second suspension keeps the instant and the reason of the first. The reason is not for the tenant's audit trail. */
async function setSuspension(trx: Kysely<Schema>, tenantId: string, reason: string | null, act: Act): Promise<Tenant> {
  const change =
    reason === null
      ? trx.deleteFrom("tenant_suspensions").where("tenant_id", "=", tenantId).returning("tenant_id")
      : trx
          .insertInto("tenant_suspensions")
          .values({ tenant_id: tenantId, reason })
          .onConflict((conflict) => conflict.column("tenant_id").doNothing())
          .returning("tenant_id");
  const suspended = reason !== null;
  const changed = await change.execute();
  // Once the suspension is locked: an erasure that begins locks it, too.
  if (!suspended && (await isTenantOpen(trx, tenantId))) throw beingErased();
  if (changed.length > 0) {
    const states = { before: { suspended: !suspended }, after: { suspended } };
    await recordChange(trx, act, { tenantId, targetId: tenantId }, states);
  }
  return tenantOf(await readTenant(trx, tenantId));
}

async function getTenant(db: Kysely<Schema>, tenantId: string): Promise<Tenant | undefined> {
  const row = await readTenant(db, tenantId);
  const isKnown = row.name !== null || row.key_count > 0 || row.suspended_at !== null;
  return isKnown ? tenantOf(row) : undefined;
}

interface TenantRow {
  readonly tenant_id: string;
  readonly name: string | null;
  readonly key_count: number;
  readonly reason: string | null;
  readonly suspended_at: Date | null;
}

function tenantOf({ tenant_id, name, key_count, reason, suspended_at }: TenantRow): Tenant {
  const suspension = suspended_at === null ? null : { suspendedAt: suspended_at, reason: reason ?? "" };
  return { tenantId: tenant_id, name: name ?? "", keyCount: key_count, suspension };
}

/** The columns of `TenantRow` for each row of `listed`, which has an id in each. */
const TENANT_COLUMNS = sql`
  listed.tenant_id,
  (select name from orgs where orgs.tenant_id = listed.tenant_id) as name,
  coalesce((select keys from tenant_counts where tenant_counts.tenant_id = listed.tenant_id), 0) as key_count,
  suspended.reason,
  suspended.suspended_at`;

async function readTenant(db: Kysely<Schema>, tenantId: string): Promise<TenantRow> {
  const { rows } = await sql<TenantRow>`
    select ${TENANT_COLUMNS} from (select cast(${tenantId} as text) as tenant_id) as listed
    left join tenant_suspensions as suspended using (tenant_id)`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("The database returned no tenant.");
  return row;
}

/** The counts of tenants have a row for each that is listed, which triggers keep. */
async function listTenants(db: Kysely<Schema>, onlySuspended: boolean, page: PageRequest): Promise<Page<Tenant>> {
  const known = sql.table(onlySuspended ? "tenant_suspensions" : "tenant_counts");
  const { rows } = await sql<Listed<TenantRow, "tenant_id">>`
    with listed as (
      select tenant_id from ${known} order by tenant_id collate "C" limit ${page.perPage} offset ${offsetOf(page)}
    )
    select counted.total, ${TENANT_COLUMNS}
    from (select count(*)::int as total from ${known}) as counted
    left join listed on true
    left join tenant_suspensions as suspended on suspended.tenant_id = listed.tenant_id
    order by listed.tenant_id collate "C"`.execute(db);
  return pageOf(rows, (row) => (row.tenant_id === null ? [] : [tenantOf(row)]));
}
