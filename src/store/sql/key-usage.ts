import { type Kysely, sql } from "kysely";
import type { KeyUsage } from "../../domain/keys/key.ts";
import type { Schema } from "./schema.ts";

const NEVER_USED: KeyUsage = { total: 0, successful: 0, failed: 0 };

export async function readUsage(db: Kysely<Schema>, keyId: string): Promise<KeyUsage> {
  const row = await db
    .selectFrom("key_usage")
    .select(["total", "successful", "failed"])
    .where("key_id", "=", keyId)
    .executeTakeFirst();
  return row ?? NEVER_USED;
}

/**
 * Adds a batch to the counters of many keys and moves their time of last use on, in one statement: all of it or
 * nothing, and once however often the batch is sent.
 *
 * Rows are locked in the order of their ids, so that two replicas cannot deadlock. The values travel as one JSON text,
 * which both drivers bind alike.
 */
export async function addUsage(
  db: Kysely<Schema>,
  batchId: string,
  usage: ReadonlyMap<string, KeyUsage & { lastUsedAt: Date }>,
): Promise<void> {
  if (usage.size === 0) return;
  await sql`
    with batch as (
      insert into usage_batches (batch_id) values (${batchId}) on conflict do nothing returning batch_id
    ), forgotten as (
      delete from usage_batches where stored_at < now() - interval '1 day'
    ), incoming as (
      select u.*, timestamptz 'epoch' + u.last_used_ms * interval '1 millisecond' as last_used_at
      from batch, jsonb_to_recordset(${asJson(usage)}::jsonb)
        as u (key_id text, total bigint, successful bigint, failed bigint, last_used_ms bigint)
    ), known as (
      select api_keys.key_id
      from api_keys
      where api_keys.key_id in (select key_id from incoming)
      order by api_keys.key_id
      for no key update
    ), used as (
      update api_keys
      set last_used_at = incoming.last_used_at
      from incoming join known using (key_id)
      where api_keys.key_id = incoming.key_id
        and (api_keys.last_used_at is null or api_keys.last_used_at < incoming.last_used_at)
    )
    insert into key_usage (key_id, total, successful, failed)
    select key_id, total, successful, failed
    from incoming join known using (key_id)
    order by key_id
    on conflict (key_id) do update
    set
      total = key_usage.total + excluded.total,
      successful = key_usage.successful + excluded.successful,
      failed = key_usage.failed + excluded.failed
  `.execute(db);
}

/** An instant as a number: a busy process has thousands of keys in a batch, and a text for each takes four times as long. */
function asJson(usage: ReadonlyMap<string, KeyUsage & { lastUsedAt: Date }>): string {
  return JSON.stringify(
    Array.from(usage, ([key_id, { total, successful, failed, lastUsedAt }]) => ({
      key_id,
      total,
      successful,
      failed,
      last_used_ms: lastUsedAt.getTime(),
    })),
  );
}
