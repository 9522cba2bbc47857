import { type Kysely, type RawBuilder, sql } from "kysely";
import type { KeyUsage, KeyUses } from "../../domain/keys/key.ts";
import type { Schema } from "./schema.ts";

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
 * Adds a batch to the counters of many keys and advances their times of last use, in one statement: all or nothing, and
 * idempotent if the batch is sent again within a day.
 *
 * Rows are locked in the order of their ids, so that two replicas cannot deadlock. Rows of `api_keys` are not locked,
 * so that a change of a key never waits for counting. Each column is one parameter, a JSON list, which both drivers
 * bind in the same way; one list of objects would take the database twice as long to parse.
 *
 * A time of last use is at most a day ahead of the database's clock. It never moves back, so a date years ahead, from a
 * clock that was wrong for a moment, would stay for ever.
 */
export async function addUsage(
  db: Kysely<Schema>,
  batchId: string,
  uses: ReadonlyMap<string, KeyUses>,
  now: RawBuilder<Date>,
): Promise<void> {
  if (uses.size === 0) return;
  const all = [...uses.values()];
  const list = (values: readonly unknown[]) => sql`json_array_elements_text(${JSON.stringify(values)}::json)`;
  await sql`
    with batch as (
      insert into usage_batches (batch_id) values (${batchId}) on conflict do nothing returning batch_id
    ), forgotten as (
      delete from usage_batches where stored_at < now() - interval '1 day'
    )
    insert into key_usage (key_id, total, successful, failed, last_used_at)
    select
      key_id, total::bigint, successful::bigint, failed::bigint,
      least(timestamptz 'epoch' + last_used_ms::bigint * interval '1 millisecond', ${now} + interval '24 hours')
    from batch, rows from (
      ${list([...uses.keys()])},
      ${list(all.map(({ total }) => total))},
      ${list(all.map(({ successful }) => successful))},
      ${list(all.map(({ failed }) => failed))},
      ${list(all.map(({ lastUsedAt }) => lastUsedAt.getTime()))}
    ) as used (key_id, total, successful, failed, last_used_ms)
    order by key_id
    on conflict (key_id) do update
    set
      total = key_usage.total + excluded.total,
      successful = key_usage.successful + excluded.successful,
      failed = key_usage.failed + excluded.failed,
      last_used_at = greatest(key_usage.last_used_at, excluded.last_used_at)
  `.execute(db);
}
