import { type Kysely, type RawBuilder, sql } from "kysely";
import type { KeyUsage } from "../../../domain/credentials/key.ts";
import type { KeyUses } from "../../../domain/usage/uses.ts";
import type { Schema } from "../schema.ts";

const NEVER_USED: KeyUsage = { total: 0, successful: 0, failed: 0 };

export async function readUsage(db: Kysely<Schema>, tenantId: string, keyId: string): Promise<KeyUsage> {
  const row = await db
    .selectFrom("key_usage")
    .innerJoin("api_keys", "api_keys.key_id", "key_usage.key_id")
    .select(["total", "successful", "failed"])
    .where("tenant_id", "=", tenantId)
    .where("api_keys.key_id", "=", keyId)
    .executeTakeFirst();
  return row ?? NEVER_USED;
}

/**
 * Adds a batch to the counters of many keys and to their uses of each hour, and advances their times of last use, in one
 * statement: all or nothing, and idempotent if the batch is sent again within a day. The counters are the sums of what is
 * added to the hours.
 *
 * Rows are locked in the order of their ids, first those of the counters and then those of the hours, so that two replicas
 * cannot deadlock. Rows of `api_keys` are not locked, so that a change of a key never waits for counting. Each column is one
 * parameter, a JSON list, which both drivers bind in the same way; one list of objects would take the database twice as
 * long to parse.
 *
 * The tenants are looked up one by one, by the primary key: the planner knows no sizes of lists, and might read the whole of
 * a large table. A key that was removed has none, and its uses are dropped.
 *
 * A time of use is at most a day ahead of the database's clock. A last use never moves back and an hour is kept until it is
 * old, so a date years ahead, from a clock that was wrong for a moment, would stay for ever.
 */
export async function addUsage(
  db: Kysely<Schema>,
  batchId: string,
  uses: ReadonlyMap<string, KeyUses>,
  now: RawBuilder<Date>,
): Promise<void> {
  if (uses.size === 0) return;
  const rows = [...uses].flatMap(([keyId, { hours, lastUsedAt }]) =>
    hours.map(({ hour, failure, count }) => ({ keyId, hour, outcome: failure ?? "", count, lastUsedAt })),
  );
  const list = (values: readonly unknown[]) => sql`json_array_elements_text(${JSON.stringify(values)}::json)`;
  const instant = (ms: RawBuilder<unknown>) => sql`timestamptz 'epoch' + ${ms} * interval '1 millisecond'`;
  await sql`
    with batch as (
      insert into usage_batches (batch_id) values (${batchId}) on conflict do nothing returning batch_id
    ), forgotten as (
      delete from usage_batches where stored_at < now() - interval '1 day'
    ), latest as (
      select ${now} + interval '24 hours' as instant
    ), used as materialized (
      select
        tenant_id, key_id, outcome, count::bigint as count,
        least(${instant(sql`hour_ms::bigint`)}, date_trunc('hour', latest.instant, 'UTC')) as hour,
        least(${instant(sql`last_used_ms::bigint`)}, latest.instant) as last_used_at
      from batch, latest, rows from (
        ${list(rows.map(({ keyId }) => keyId))},
        ${list(rows.map(({ hour }) => hour.getTime()))},
        ${list(rows.map(({ outcome }) => outcome))},
        ${list(rows.map(({ count }) => count))},
        ${list(rows.map(({ lastUsedAt }) => lastUsedAt.getTime()))}
      ) as list (key_id, hour_ms, outcome, count, last_used_ms)
      cross join lateral (select tenant_id from api_keys where api_keys.key_id = list.key_id limit 1) as owner
    ), counted as (
      insert into key_usage (key_id, total, successful, failed, last_used_at)
      select
        key_id, sum(count)::bigint,
        coalesce(sum(count) filter (where outcome = ''), 0)::bigint,
        coalesce(sum(count) filter (where outcome <> ''), 0)::bigint,
        max(last_used_at)
      from used
      group by key_id
      order by key_id
      on conflict (key_id) do update
      set
        total = key_usage.total + excluded.total,
        successful = key_usage.successful + excluded.successful,
        failed = key_usage.failed + excluded.failed,
        last_used_at = greatest(key_usage.last_used_at, excluded.last_used_at)
      returning key_id
    )
    insert into key_usage_hours (tenant_id, key_id, hour, outcome, count)
    select tenant_id, key_id, hour, outcome, sum(count)::bigint
    from counted join used using (key_id)
    group by key_id, hour, outcome, tenant_id
    order by key_id, hour, outcome
    on conflict (key_id, hour, outcome) do update set count = key_usage_hours.count + excluded.count
  `.execute(db);
}
