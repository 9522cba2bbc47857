import { randomBytes } from "node:crypto";
import type { Act } from "../audit/event.ts";
import { idempotentCall } from "../idempotency/idempotent-call.ts";
import { type IdempotencyContext, idempotently } from "../idempotency/idempotently.ts";
import { newId } from "../vocabulary/ids.ts";
import { RequestFault } from "../vocabulary/request-fault.ts";
import { getWebhook } from "./read.ts";
import { checkedEvents, checkedUrl } from "./rules.ts";
import type { Webhook } from "./webhook.ts";
import { SECRETS_MAX, WEBHOOKS_MAX, type WebhookStore } from "./webhook-store.ts";

export interface CreateWebhookContext extends IdempotencyContext {
  readonly webhooks: Pick<WebhookStore, "insertWebhook" | "findWebhook">;
  /** `WEBHOOK_ALLOWED_HOSTS`. */
  readonly webhookAllowedHosts: readonly string[];
}

/** A webhook to make, as the caller describes it. */
export interface CreateWebhookCommand {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
}

const SECRET_BYTES = 32;

/** A webhook, and the secret that a call has made for it. Null: the same call has made it before, and returned it then. */
export interface HandedWebhook {
  readonly webhook: Webhook;
  readonly secret: string | null;
}

/** Creates a webhook. Its secret is returned once; with `clientRequestId` a repeated call returns the first one's webhook. */
export function createWebhook(
  ctx: CreateWebhookContext,
  tenantId: string,
  { url, events, description }: CreateWebhookCommand,
  clientRequestId: string,
  act: Act,
): Promise<HandedWebhook> {
  const described = { url: checkedUrl(url, ctx.webhookAllowedHosts), events: checkedEvents(events), description };
  const call = idempotentCall(clientRequestId, tenantId, act, "createWebhook", described);
  return idempotently(
    ctx,
    call,
    async () => {
      const secret = drawSecret();
      const webhook = { webhookId: newId("whk"), tenantId, ...described, secret };
      return { webhook: await ctx.webhooks.insertWebhook(webhook, act, call), secret };
    },
    async (webhookId) => ({ webhook: await getWebhook(ctx, tenantId, webhookId), secret: null }),
  );
}

/** A secret in the form of Standard Webhooks. */
export function drawSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
}

export function tooManyWebhooks(): RequestFault {
  return new RequestFault(
    "too_many_webhooks",
    `The tenant has ${WEBHOOKS_MAX} webhooks, the most it may have; delete one, or let one endpoint take the events of several.`,
  );
}

export function tooManySecrets(): RequestFault {
  return new RequestFault(
    "too_many_webhook_secrets",
    `The webhook has ${SECRETS_MAX} secrets that sign, the most it may have; each one that was rotated signs for 24 hours. Wait until the oldest ends, or create another webhook.`,
  );
}

/** For a call that arrived before its tenant was erased. */
export function tenantErased(): RequestFault {
  return new RequestFault("tenant_erased", "The tenant was erased, and gets no webhook until it is resumed.");
}
