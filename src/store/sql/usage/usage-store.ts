import { type Kysely, sql } from "kysely";
import type { KeyUsage } from "../../../domain/credentials/key.ts";
import type { UsagePeriod } from "../../../domain/usage/period.ts";
import type { StepUses } from "../../../domain/usage/series.ts";
import type { UsageHistory } from "../../../domain/usage/usage-store.ts";
import type { KeyTotals, UseFailure } from "../../../domain/usage/uses.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { type ListOwner, ofTenant, SERVICE } from "../driver/list-turns.ts";
import { commitLocally } from "../driver/local-commit.ts";
import { givenInstant } from "../driver/now.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import type { Schema } from "../schema.ts";

/** The uses of keys by the hour, which `addUsage` of the key store writes (ADR 28). */
export function createUsageStore({ lists }: Pick<SqlDatabase, "lists">): UsageHistory {
  const read = <T>(owner: ListOwner, work: (reader: Kysely<Schema>) => Promise<T>): Promise<T> =>
    translateOutage(() => lists(owner, work));
  return {
    readKey: (tenantId, keyId, period) =>
      read(ofTenant(tenantId), (reader) => readKey(reader, tenantId, keyId, period)),
    readTenant: (tenantId, period) => read(ofTenant(tenantId), (reader) => readTenant(reader, tenantId, period)),
    readTopKeys: (tenantId, period, most, reason = "") =>
      read(ofTenant(tenantId), (reader) => readTopKeys(reader, tenantId, period, most, reason)),
    removeBefore: (instant, most) =>
      read(SERVICE, (reader) => commitLocally(reader, (trx) => removeBefore(trx, instant, most))),
  };
}

interface UsesRow {
  readonly step: Date;
  readonly outcome: string;
  readonly count: number;
}

/** Both in one statement: counters that were read later would have uses that the series lacks. */
async function readKey(
  db: Kysely<Schema>,
  tenantId: string,
  keyId: string,
  period: UsagePeriod,
): Promise<{ readonly usage: KeyUsage; readonly uses: readonly StepUses[] }> {
  type Row = KeyUsage & (UsesRow | { readonly step: null });
  const { rows } = await sql<Row>`
    select total, successful, failed, step, outcome, used.count
    from api_keys
    join key_usage using (key_id)
    left join (
      select ${stepOf(period)} as step, outcome, sum(count)::bigint as count from key_usage_hours
      where key_id = ${keyId} and ${isWithin(period)}
      group by step, outcome
    ) as used on true
    where tenant_id = ${tenantId} and key_id = ${keyId}`.execute(db);
  const [{ total, successful, failed } = { total: 0, successful: 0, failed: 0 }] = rows;
  return {
    usage: { total, successful, failed },
    uses: rows.flatMap((row) => (row.step === null ? [] : [usesOf(row)])),
  };
}

async function readTenant(db: Kysely<Schema>, tenantId: string, period: UsagePeriod): Promise<StepUses[]> {
  const { rows } = await sql<UsesRow>`
    select ${stepOf(period)} as step, outcome, sum(count)::bigint as count from key_usage_hours
    where tenant_id = ${tenantId} and ${isWithin(period)}
    group by step, outcome`.execute(db);
  return rows.map(usesOf);
}

async function readTopKeys(
  db: Kysely<Schema>,
  tenantId: string,
  period: UsagePeriod,
  most: number,
  reason: string,
): Promise<KeyTotals[]> {
  type Row = KeyUsage & { readonly key_id: string; readonly name: string };
  const { rows } = await sql<Row>`
    select key_id, coalesce(name, '') as name, total, successful, total - successful as failed
    from (
      select
        key_id, sum(count)::bigint as total, coalesce(sum(count) filter (where outcome = ''), 0)::bigint as successful
      from key_usage_hours
      where tenant_id = ${tenantId} and ${isWithin(period)} ${reason === "" ? sql`` : sql`and outcome = ${reason}`}
      group by key_id
      order by total desc, key_id
      limit ${most}
    ) as used
    left join api_keys using (key_id)
    order by total desc, key_id`.execute(db);
  return rows.map(({ key_id: keyId, name, ...usage }) => ({ keyId, name, usage }));
}

async function removeBefore(db: Kysely<Schema>, instant: Date, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from key_usage_hours where ctid = any(array(
      select ctid from key_usage_hours where hour < ${givenInstant(instant)}
      order by hour limit ${most} for update skip locked
    ))`.execute(db);
  return Number(numAffectedRows);
}

/** Days are those of UTC, whatever the time zone of the session. */
function stepOf({ step }: UsagePeriod) {
  return step === "hour" ? sql`hour` : sql`date_trunc('day', hour, 'UTC')`;
}

function isWithin({ from, to }: UsagePeriod) {
  return sql`hour >= ${givenInstant(from)} and hour < ${givenInstant(to)}`;
}

function usesOf({ step, outcome, count }: UsesRow): StepUses {
  // Only `addUsage` writes outcomes.
  return { from: step, failure: outcome === "" ? null : (outcome as UseFailure), count };
}
