import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import type { TimeCursor } from "../../../domain/vocabulary/time-cursor.ts";
import type { Delivery } from "../../../domain/webhooks/webhook.ts";
import type { DeliveryFilter, DeliveryPage, Redelivered } from "../../../domain/webhooks/webhook-store.ts";
import { givenInstant } from "../driver/now.ts";
import type { Schema } from "../schema.ts";

export async function listDeliveries(
  db: Kysely<Schema>,
  tenantId: string,
  { webhookId, eventId, type, status }: DeliveryFilter,
  {
    after,
    perPage,
    withBody,
  }: { readonly after: TimeCursor | undefined; readonly perPage: number; readonly withBody: boolean },
): Promise<DeliveryPage> {
  let query = db.selectFrom("webhook_deliveries as listed").selectAll("listed").select(body(withBody));
  // As in the audit trail: with this order, only an index that begins with the webhook, or the tenant, gives the order.
  query =
    webhookId === ""
      ? query.where(sql<boolean>`listed.tenant_id = any(array[cast(${tenantId} as text)])`).orderBy("tenant_id", "desc")
      : query
          .where("tenant_id", "=", tenantId)
          .where(sql<boolean>`listed.webhook_id = any(array[cast(${webhookId} as text)])`)
          .orderBy("webhook_id", "desc");
  if (eventId !== "") query = query.where("event_id", "=", eventId);
  if (type !== "") query = query.where(sql<boolean>`listed.type = ${type}`);
  if (status !== null) query = query.where("status", "=", status);
  if (after !== undefined) query = query.where(sql<boolean>`(listed.created_at, listed.seq) < ${place(after)}`);
  const rows = await query
    .orderBy("created_at", "desc")
    .orderBy("seq", "desc")
    .limit(perPage + 1)
    .execute();
  const shown = rows.slice(0, perPage);
  return { deliveries: shown.map(deliveryOf), next: rows.length > perPage ? placeOf(shown.at(-1)) : undefined };
}

/** Pending deliveries of a webhook that was disabled. An attempt under way ends by itself, and changes nothing any more. */
export async function failPending(trx: Kysely<Schema>, tenantId: string, webhookId: string): Promise<void> {
  await sql`
    update webhook_deliveries
    set status = 'failed', next_at = null, lease_token = null, lease_until = null,
      last_error = 'the webhook was disabled'
    where tenant_id = ${tenantId} and webhook_id = ${webhookId} and status = 'pending'`.execute(trx);
}

export async function redeliverEvent(
  trx: Kysely<Schema>,
  {
    tenantId,
    eventId,
    webhookId,
  }: { readonly tenantId: string; readonly eventId: string; readonly webhookId: string | null },
  now: RawBuilder<Date>,
): Promise<number | undefined> {
  let query = trx
    .selectFrom("webhook_deliveries")
    .innerJoin("webhooks", "webhooks.webhook_id", "webhook_deliveries.webhook_id")
    .select(["delivery_id", "webhooks.status"])
    .where("webhook_deliveries.tenant_id", "=", tenantId)
    .where("event_id", "=", eventId);
  if (webhookId !== null) query = query.where("webhook_deliveries.webhook_id", "=", webhookId);
  const found = await query.execute();
  if (found.length === 0) return undefined;
  const enabled = found.filter(({ status }) => status === "enabled").map(({ delivery_id }) => delivery_id);
  return sendAgain(trx, tenantId, enabled, now);
}

/** Leaves deliveries without an attempt as they are. */
export async function redeliverSince(
  trx: Kysely<Schema>,
  { tenantId, webhookId }: { readonly tenantId: string; readonly webhookId: string },
  { since, onlyFailed }: Redelivered,
  { after, most }: { readonly after: TimeCursor | undefined; readonly most: number },
  now: RawBuilder<Date>,
): Promise<{ readonly count: number; readonly next: TimeCursor | undefined }> {
  let query = trx
    .selectFrom("webhook_deliveries")
    .select(["delivery_id", "created_at", "seq"])
    .where("tenant_id", "=", tenantId)
    .where(sql<boolean>`webhook_id = any(array[cast(${webhookId} as text)])`)
    .where("created_at", ">=", since)
    .where(onlyFailed ? sql<boolean>`status = 'failed'` : sql<boolean>`(status <> 'pending' or attempts > 0)`);
  if (after !== undefined) query = query.where(sql<boolean>`(created_at, seq) > ${place(after)}`);
  const rows = await query
    .orderBy("webhook_id")
    .orderBy("created_at")
    .orderBy("seq")
    .limit(most + 1)
    .execute();
  const taken = rows.slice(0, most);
  const ids = taken.map(({ delivery_id }) => delivery_id);
  const count = await sendAgain(trx, tenantId, ids, now);
  return { count, next: rows.length > most ? placeOf(taken.at(-1)) : undefined };
}

/** Makes deliveries due as if they had not been tried yet, except those that are being tried. The locks are taken in one order. */
async function sendAgain(
  trx: Kysely<Schema>,
  tenantId: string,
  deliveryIds: readonly string[],
  now: RawBuilder<Date>,
): Promise<number> {
  if (deliveryIds.length === 0) return 0;
  const { numAffectedRows = 0n } = await sql`
    with due as materialized (
      select delivery_id from webhook_deliveries
      where tenant_id = ${tenantId}
        and delivery_id in (select jsonb_array_elements_text(cast(${JSON.stringify(deliveryIds)} as text)::jsonb))
        and (lease_until is null or lease_until <= ${now})
      order by delivery_id for update
    )
    update webhook_deliveries
    set status = 'pending', attempts = 0, next_at = ${now}, lease_token = null, lease_until = null, delivered_at = null
    from due where due.delivery_id = webhook_deliveries.delivery_id`.execute(trx);
  return Number(numAffectedRows);
}

function body(isRead: boolean) {
  const text = sql`(select body from webhook_events where webhook_events.event_id = listed.event_id)`;
  return (isRead ? sql<string | null>`${text}` : sql<string | null>`null`).as("body");
}

function place({ atMs, seq }: TimeCursor) {
  return sql`(${givenInstant(new Date(atMs))}, cast(${seq} as bigint))`;
}

function placeOf(row: { readonly created_at: Date; readonly seq: number } | undefined): TimeCursor | undefined {
  return row && { atMs: row.created_at.getTime(), seq: row.seq };
}

function deliveryOf(row: Selectable<Schema["webhook_deliveries"]> & { readonly body: string | null }): Delivery {
  return {
    deliveryId: row.delivery_id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    type: row.type,
    status: row.status,
    attempts: row.attempts,
    createdAt: row.created_at,
    nextAt: row.next_at,
    lastAttemptAt: row.last_attempt_at,
    lastStatus: row.last_status,
    lastDurationMs: row.last_duration_ms,
    lastError: row.last_error,
    lastAnswer: row.last_answer,
    deliveredAt: row.delivered_at,
    body: row.body,
  };
}
