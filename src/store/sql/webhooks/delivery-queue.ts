import { type Kysely, sql } from "kysely";
import { type Act, WEBHOOK_DISABLED } from "../../../domain/audit/event.ts";
import { NOTHING } from "../../../domain/audit/origin.ts";
import type { ClaimedDelivery, DeliveryPlaces, OutboxLease } from "../../../domain/webhooks/outbox.ts";
import type { AttemptOutcome } from "../../../domain/webhooks/retry.ts";
import type { WebhookAnswer } from "../../../domain/webhooks/sender.ts";
import { signingSecrets } from "../../../domain/webhooks/signature.ts";
import type { DisabledReason } from "../../../domain/webhooks/webhook.ts";
import type { SecretSealer } from "../../webhooks/secret-sealer.ts";
import { recordChange } from "../audit/audit-rows.ts";
import { plusMs, type SqlNow } from "../driver/now.ts";
import type { FormerSecret, Schema } from "../schema.ts";
import { leaseEnded } from "./leases.ts";
import { openedSecrets } from "./webhook-rows.ts";

/** Attempts under way at once on all replicas, for an endpoint whose last one succeeded, for one that fails, and for a tenant. */
const OF_WEBHOOK_MAX = 4;
const OF_FAILING_WEBHOOK_MAX = 1;
const OF_TENANT_MAX = 16;

interface ClaimedRow {
  readonly delivery_id: string;
  readonly event_id: string;
  readonly webhook_id: string;
  readonly tenant_id: string;
  readonly attempts: number;
  readonly url: string;
  readonly body: string;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_secret_until: Date | null;
  readonly former_secrets: readonly FormerSecret[];
  readonly failing_since: Date | null;
  readonly now: Date;
}

/**
 * The first deliveries of each webhook that has some waiting, which are found as the tenants in `claimEvents`. Those under lease are
 * the first ones, too, so that they take the places of others: a dead endpoint holds few, however many events wait for it.
 */
export async function claimDeliveries(
  db: Kysely<Schema>,
  { token, leaseMs }: OutboxLease,
  { healthy, failing }: DeliveryPlaces,
  sealer: SecretSealer,
  now: SqlNow,
): Promise<readonly ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedRow>`
    with recursive waiting as (
      (select webhook_id from webhook_deliveries where status = 'pending' order by webhook_id limit 1)
      union all
      select (
        select webhook_id from webhook_deliveries
        where status = 'pending' and webhook_id > waiting.webhook_id order by webhook_id limit 1
      )
      from waiting where waiting.webhook_id is not null
    ),
    first as (
      select each.*, webhooks.tenant_id, webhooks.failing_since is not null as is_failing
      from waiting join webhooks on webhooks.webhook_id = waiting.webhook_id and webhooks.status = 'enabled'
      cross join lateral (
        select delivery_id, next_at, seq, lease_until, row_number() over (order by next_at, seq) as place
        from webhook_deliveries
        where status = 'pending' and webhook_id = waiting.webhook_id and next_at <= ${now()}
        order by next_at, seq
        limit case when webhooks.failing_since is null
          then ${sql.lit(OF_WEBHOOK_MAX)} else ${sql.lit(OF_FAILING_WEBHOOK_MAX)} end
      ) as each
    ),
    fair as (
      select *, row_number() over (partition by tenant_id order by is_failing, place, next_at, seq) as turn from first
    ),
    free as (
      select *, row_number() over (partition by is_failing order by turn, next_at, seq) as rank from fair
      where turn <= ${sql.lit(OF_TENANT_MAX)} and ${leaseEnded(now, leaseMs)}
    ),
    chosen as materialized (
      select delivery_id from free
      where rank <= case when is_failing then cast(${failing} as int) else cast(${healthy} as int) end
    ),
    claimed as (
      update webhook_deliveries
      set lease_token = ${token}, lease_until = ${plusMs(now(), leaseMs)}, last_attempt_at = ${now()}
      where delivery_id in (
        select delivery_id from webhook_deliveries
        where delivery_id in (select delivery_id from chosen) and status = 'pending' and next_at <= ${now()}
          and ${leaseEnded(now, leaseMs)}
        order by next_at, seq for update skip locked
      )
      returning delivery_id, event_id, webhook_id, tenant_id, attempts
    )
    select claimed.*, url, body, secret, previous_secret, previous_secret_until, former_secrets, failing_since, ${now()} as now
    from claimed join webhooks using (webhook_id) join webhook_events using (event_id)
    where body is not null`.execute(db);
  return rows.map((row) => claimedOf(row, token, sealer));
}

function claimedOf(row: ClaimedRow, leaseToken: string, sealer: SecretSealer): ClaimedDelivery {
  const place = { tenantId: row.tenant_id, webhookId: row.webhook_id };
  return {
    deliveryId: row.delivery_id,
    eventId: row.event_id,
    webhookId: row.webhook_id,
    tenantId: row.tenant_id,
    leaseToken,
    url: row.url,
    body: row.body,
    secrets: signingSecrets(openedSecrets(sealer, place, row), row.now),
    attempts: row.attempts,
    failingSince: row.failing_since,
  };
}

/**
 * Locks the webhook before the delivery where it changes, in the order of its removal. False: the delivery is another worker's, or
 * was removed.
 */
export async function storeOutcome(
  trx: Kysely<Schema>,
  claimed: ClaimedDelivery,
  answer: WebhookAnswer,
  outcome: AttemptOutcome,
  now: SqlNow,
): Promise<boolean> {
  if (!(await isHeld(trx, claimed))) return false;
  await markWebhook(trx, claimed, outcome, now);
  const { numUpdatedRows } = await trx
    .updateTable("webhook_deliveries")
    .set((eb) => ({
      ...columnsOf(outcome, now),
      attempts: eb("attempts", "+", 1),
      last_status: answer.status,
      last_duration_ms: answer.durationMs,
      last_error: answer.error,
      last_answer: answer.answer,
      lease_token: null,
      lease_until: null,
    }))
    .where("delivery_id", "=", claimed.deliveryId)
    .where("lease_token", "=", claimed.leaseToken)
    .where("status", "=", "pending")
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

async function isHeld(trx: Kysely<Schema>, { deliveryId, leaseToken }: ClaimedDelivery): Promise<boolean> {
  const row = await trx
    .selectFrom("webhook_deliveries")
    .select("delivery_id")
    .where("delivery_id", "=", deliveryId)
    .where("lease_token", "=", leaseToken)
    .where("status", "=", "pending")
    .executeTakeFirst();
  return row !== undefined;
}

function columnsOf(outcome: AttemptOutcome, now: SqlNow) {
  switch (outcome.kind) {
    case "delivered":
      return { status: "delivered" as const, next_at: null, delivered_at: now() };
    case "retried":
      return { next_at: plusMs(now(), outcome.delayMs) };
    case "failed":
      return { status: "failed" as const, next_at: null };
    default:
      return outcome satisfies never;
  }
}

/** Written only where it changes, so that a webhook that works costs no row version for each delivery. */
async function markWebhook(
  trx: Kysely<Schema>,
  { webhookId, tenantId, failingSince }: ClaimedDelivery,
  outcome: AttemptOutcome,
  now: SqlNow,
): Promise<void> {
  const webhook = trx.updateTable("webhooks").where("tenant_id", "=", tenantId).where("webhook_id", "=", webhookId);
  if (outcome.kind === "delivered") {
    if (failingSince !== null) await webhook.set({ failing_since: null }).execute();
    return;
  }
  if (failingSince === null) {
    await webhook.set({ failing_since: now() }).where("failing_since", "is", null).execute();
  }
  const disabled = outcome.kind === "failed" ? outcome.disabled : null;
  if (disabled !== null) await disable(trx, tenantId, webhookId, disabled);
}

async function disable(
  trx: Kysely<Schema>,
  tenantId: string,
  webhookId: string,
  reason: DisabledReason,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable("webhooks")
    .set({ status: "disabled", disabled_reason: reason })
    .where("tenant_id", "=", tenantId)
    .where("webhook_id", "=", webhookId)
    .where("status", "=", "enabled")
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return;
  const states = {
    before: { status: "enabled", disabled_reason: null },
    after: { status: "disabled", disabled_reason: reason },
  };
  await recordChange(trx, OWN_ACT, { tenantId, targetId: webhookId }, states);
}

/** The service itself acts: there is no call. */
const OWN_ACT: Act = {
  action: WEBHOOK_DISABLED,
  actor: { ...NOTHING, kind: "service" },
  address: null,
  requestId: "",
  traceId: null,
};

export async function release(db: Kysely<Schema>, leaseToken: string): Promise<void> {
  await db
    .updateTable("webhook_deliveries")
    .set({ lease_token: null, lease_until: null })
    .where("lease_token", "=", leaseToken)
    .where("status", "=", "pending")
    .execute();
}

const FAILED_AT_ONCE = 500;

/** What waits for a webhook that was disabled meanwhile. It can be redelivered. */
export async function failDisabled(db: Kysely<Schema>): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update webhook_deliveries
    set status = 'failed', next_at = null, lease_token = null, lease_until = null, last_error = 'the webhook was disabled'
    where delivery_id in (
      select delivery_id from webhook_deliveries
      where status = 'pending' and webhook_id in (select webhook_id from webhooks where status = 'disabled')
      limit ${sql.lit(FAILED_AT_ONCE)} for update skip locked
    )`.execute(db);
  return numAffectedRows === BigInt(FAILED_AT_ONCE);
}
