import { randomBytes } from "node:crypto";
import type { Act } from "../audit/event.ts";
import { newId } from "../vocabulary/ids.ts";
import { faultOf, RequestFault } from "../vocabulary/request-fault.ts";
import { checkedEvents, checkedUrl } from "./rules.ts";
import type { Webhook } from "./webhook.ts";
import { SECRETS_MAX, WEBHOOKS_MAX, type WebhookStore } from "./webhook-store.ts";

export interface CreateWebhookContext {
  readonly webhooks: Pick<WebhookStore, "insertWebhook">;
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

/** Creates a webhook. Its secret is returned once. */
export async function createWebhook(
  { webhooks, webhookAllowedHosts }: CreateWebhookContext,
  tenantId: string,
  { url, events, description }: CreateWebhookCommand,
  act: Act,
): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
  const secret = drawSecret();
  const created = {
    webhookId: newId("whk"),
    tenantId,
    url: checkedUrl(url, webhookAllowedHosts),
    events: checkedEvents(events),
    description,
    secret,
  };
  return { webhook: await webhooks.insertWebhook(created, act), secret };
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

/** The same for a malformed identifier, one of another tenant and one that never was. */
export function webhookNotFound(): RequestFault {
  return faultOf("webhook_not_found", "webhook_id", "no such webhook; webhooks/list has them");
}
