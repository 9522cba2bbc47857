import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Act } from "../../../domain/audit/event.ts";
import type { IdempotentCall } from "../../../domain/idempotency/idempotent-call.ts";
import type { Clock } from "../../../domain/vocabulary/clock.ts";
import { tenantErased, tooManySecrets, tooManyWebhooks } from "../../../domain/webhooks/create.ts";
import type { WebhookSecrets } from "../../../domain/webhooks/signature.ts";
import { auditedWebhook } from "../../../domain/webhooks/update.ts";
import type { Webhook } from "../../../domain/webhooks/webhook.ts";
import {
  type NewWebhook,
  SECRETS_MAX,
  WEBHOOKS_MAX,
  type WebhookPatch,
  type WebhookStore,
} from "../../../domain/webhooks/webhook-store.ts";
import type { SecretPlace, SecretSealer } from "../../webhooks/secret-sealer.ts";
import { insertEvent, recordChange } from "../audit/audit-rows.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { ofTenant } from "../driver/list-turns.ts";
import { plusMs, sqlNow } from "../driver/now.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import { claimCall } from "../idempotency/idempotent-calls.ts";
import { ERASED_REASON, lockRules } from "../keys/key-policies.ts";
import type { Schema } from "../schema.ts";
import { failPending, listDeliveries, redeliverEvent, redeliverSince } from "./deliveries.ts";
import { changedColumns, openedSecrets, SECRET_COLUMNS, WEBHOOK_COLUMNS, webhookOf } from "./webhook-rows.ts";

/** Webhooks in SQL. Uses `database.db` outside transactions only. `clock` is for tests. */
export function createWebhookStore(
  { db, history, lists }: Pick<SqlDatabase, "db" | "history" | "lists">,
  sealer: SecretSealer,
  clock?: Clock,
): WebhookStore {
  const now = sqlNow(clock);
  const within = <T>(work: (trx: Kysely<Schema>) => Promise<T>): Promise<T> =>
    translateOutage(() => db.transaction().execute(work));
  const claimed = <T>(call: IdempotentCall | undefined, webhookId: string, work: (trx: Kysely<Schema>) => Promise<T>) =>
    within(async (trx) => {
      await claimCall(trx, history, call, webhookId, now());
      return work(trx);
    });
  return {
    insertWebhook: (webhook, act, call) => {
      const sealed = { ...webhook, secret: sealer.seal(webhook, webhook.secret) };
      return claimed(call, webhook.webhookId, (trx) => insertWebhook(trx, sealed, act, now()));
    },
    listWebhooks: (tenantId) => translateOutage(() => listWebhooks(db, tenantId)),
    findWebhook: (tenantId, webhookId) => translateOutage(() => findWebhook(db, tenantId, webhookId)),
    findSecrets: (tenantId, webhookId) => translateOutage(() => findSecrets(db, sealer, { tenantId, webhookId })),
    updateWebhook: (tenantId, webhookId, decide, act) =>
      within((trx) => updateWebhook(trx, tenantId, webhookId, decide, act)),
    replaceSecret: (tenantId, webhookId, { secret, overlapMs }, act, call) => {
      const place = { tenantId, webhookId };
      const stored = sealer.seal(place, secret);
      return claimed(call, webhookId, (trx) =>
        replaceSecret(trx, place, { secret: stored, overlapMs, now: now() }, act),
      );
    },
    deleteWebhook: (tenantId, webhookId, act) => within((trx) => deleteWebhook(trx, tenantId, webhookId, act)),
    listDeliveries: (tenantId, filter, page) =>
      translateOutage(() => lists(ofTenant(tenantId), (reader) => listDeliveries(reader, tenantId, filter, page))),
    redeliverEvent: (tenantId, eventId, webhookId) =>
      within((trx) => redeliverEvent(trx, { tenantId, eventId, webhookId }, now())),
    redeliverSince: (tenantId, webhookId, which, page) =>
      within((trx) => redeliverSince(trx, { tenantId, webhookId }, which, page, now())),
  };
}

/** The lock makes concurrent calls count each other's webhooks, and has an erasure of the tenant come before or after. */
async function insertWebhook(
  trx: Kysely<Schema>,
  { webhookId, tenantId, url, events, description, secret }: NewWebhook,
  act: Act,
  now: RawBuilder<Date>,
): Promise<Webhook> {
  await lockRules(trx, tenantId, "alone");
  const { rows } = await sql<{ is_erased: boolean; webhooks: number }>`
    select
      (select count(*)::int from webhooks where tenant_id = ${tenantId}) as webhooks,
      exists (
        select from tenant_suspensions where tenant_id = ${tenantId} and reason = ${ERASED_REASON}
      ) as is_erased`.execute(trx);
  const [found] = rows;
  if (found?.is_erased) throw tenantErased();
  if ((found?.webhooks ?? 0) >= WEBHOOKS_MAX) throw tooManyWebhooks();
  const row = await trx
    .insertInto("webhooks")
    .values({
      webhook_id: webhookId,
      tenant_id: tenantId,
      url,
      events: JSON.stringify(events),
      description,
      status: "enabled",
      secret,
      created_at: now,
      created_by: JSON.stringify(act.actor),
    })
    .returning(WEBHOOK_COLUMNS)
    .executeTakeFirstOrThrow();
  const webhook = webhookOf(row);
  await recordChange(trx, act, { tenantId, targetId: webhookId }, { after: auditedWebhook(webhook) });
  return webhook;
}

async function listWebhooks(db: Kysely<Schema>, tenantId: string): Promise<Webhook[]> {
  const rows = await db
    .selectFrom("webhooks")
    .select(WEBHOOK_COLUMNS)
    .where("tenant_id", "=", tenantId)
    .orderBy("seq")
    .execute();
  return rows.map(webhookOf);
}

async function findWebhook(db: Kysely<Schema>, tenantId: string, webhookId: string): Promise<Webhook | undefined> {
  const row = await db
    .selectFrom("webhooks")
    .select(WEBHOOK_COLUMNS)
    .where("tenant_id", "=", tenantId)
    .where("webhook_id", "=", webhookId)
    .executeTakeFirst();
  return row && webhookOf(row);
}

async function findSecrets(
  db: Kysely<Schema>,
  sealer: SecretSealer,
  place: SecretPlace,
): Promise<WebhookSecrets | undefined> {
  const row = await db
    .selectFrom("webhooks")
    .select(SECRET_COLUMNS)
    .where("tenant_id", "=", place.tenantId)
    .where("webhook_id", "=", place.webhookId)
    .executeTakeFirst();
  return row && openedSecrets(sealer, place, row);
}

async function updateWebhook(
  trx: Kysely<Schema>,
  tenantId: string,
  webhookId: string,
  decide: (current: Webhook) => WebhookPatch,
  act: Act,
): Promise<Webhook | undefined> {
  const current = await lockWebhook(trx, tenantId, webhookId);
  if (current === undefined) return undefined;
  const patch = decide(current);
  if (Object.keys(patch).length === 0) return current;
  const row = await trx
    .updateTable("webhooks")
    .set(changedColumns(patch))
    .where("tenant_id", "=", tenantId)
    .where("webhook_id", "=", webhookId)
    .returning(WEBHOOK_COLUMNS)
    .executeTakeFirstOrThrow();
  const webhook = webhookOf(row);
  if (webhook.status === "disabled" && current.status === "enabled") await failPending(trx, tenantId, webhookId);
  const states = { before: auditedWebhook(current), after: auditedWebhook(webhook) };
  await recordChange(trx, act, { tenantId, targetId: webhookId }, states);
  return webhook;
}

async function lockWebhook(trx: Kysely<Schema>, tenantId: string, webhookId: string): Promise<Webhook | undefined> {
  const row = await trx
    .selectFrom("webhooks")
    .select(WEBHOOK_COLUMNS)
    .where("tenant_id", "=", tenantId)
    .where("webhook_id", "=", webhookId)
    .forUpdate()
    .executeTakeFirst();
  return row && webhookOf(row);
}

/**
 * Under the row lock, so that no secret is lost of two rotations at once. Each rotation has an event, which says nothing of the
 * secrets.
 */
async function replaceSecret(
  trx: Kysely<Schema>,
  { tenantId, webhookId }: SecretPlace,
  { secret, overlapMs, now }: { readonly secret: string; readonly overlapMs: number; readonly now: RawBuilder<Date> },
  act: Act,
): Promise<Webhook | undefined> {
  const current = await trx
    .selectFrom("webhooks")
    .select([...SECRET_COLUMNS, now.as("now")])
    .where("tenant_id", "=", tenantId)
    .where("webhook_id", "=", webhookId)
    .forUpdate()
    .executeTakeFirst();
  if (current === undefined) return undefined;
  const { previous_secret: previous, previous_secret_until: until } = current;
  const former = [
    ...(previous !== null && until !== null ? [{ secret: previous, untilMs: until.getTime() }] : []),
    ...current.former_secrets,
  ].filter(({ untilMs }) => untilMs > current.now.getTime());
  // The new one and the current one also sign.
  if (former.length + 2 > SECRETS_MAX) throw tooManySecrets();
  const row = await trx
    .updateTable("webhooks")
    .set({
      secret,
      previous_secret: current.secret,
      previous_secret_until: plusMs(now, overlapMs),
      former_secrets: JSON.stringify(former),
    })
    .where("tenant_id", "=", tenantId)
    .where("webhook_id", "=", webhookId)
    .returning(WEBHOOK_COLUMNS)
    .executeTakeFirstOrThrow();
  await insertEvent(trx, { ...act, tenantId, targetId: webhookId, changes: { secret: {} }, refusal: null });
  return webhookOf(row);
}

async function deleteWebhook(trx: Kysely<Schema>, tenantId: string, webhookId: string, act: Act): Promise<boolean> {
  const row = await trx
    .deleteFrom("webhooks")
    .where("tenant_id", "=", tenantId)
    .where("webhook_id", "=", webhookId)
    .returning(WEBHOOK_COLUMNS)
    .executeTakeFirst();
  if (row === undefined) return false;
  await recordChange(trx, act, { tenantId, targetId: webhookId }, { before: auditedWebhook(webhookOf(row)) });
  return true;
}
