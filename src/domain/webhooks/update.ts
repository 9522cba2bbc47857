import type { Audited } from "../audit/changes.ts";
import type { Act } from "../audit/event.ts";
import { idempotentCall } from "../idempotency/idempotent-call.ts";
import { type IdempotencyContext, idempotently } from "../idempotency/idempotently.ts";
import { invalid } from "../vocabulary/request-fault.ts";
import { fieldsOfMask } from "../vocabulary/update-mask.ts";
import { drawSecret, type HandedWebhook } from "./create.ts";
import { getWebhook, webhookNotFound } from "./read.ts";
import { checkedEvents, checkedUrl } from "./rules.ts";
import type { Webhook, WebhookStatus } from "./webhook.ts";
import type { WebhookPatch, WebhookStore } from "./webhook-store.ts";

export interface UpdateWebhookContext extends IdempotencyContext {
  readonly webhooks: Pick<WebhookStore, "updateWebhook" | "replaceSecret" | "findWebhook">;
  readonly webhookAllowedHosts: readonly string[];
}

/** The new values of the members that the mask names. */
export interface WebhookValues {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
  /** Null: not given. */
  readonly status: WebhookStatus | null;
}

/** What an update can change. */
export const MASKABLE = ["url", "events", "description", "status"] as const;

/** How long the secret before the last rotation signs, too. */
const OVERLAP_MS = 86_400_000;

/** Changes the members that the mask names. */
export async function updateWebhook(
  { webhooks, webhookAllowedHosts }: UpdateWebhookContext,
  tenantId: string,
  webhookId: string,
  mask: string,
  values: WebhookValues,
  act: Act,
): Promise<Webhook> {
  const fields = fieldsOfMask(mask, MASKABLE);
  const { status } = values;
  if (fields.has("status") && status === null) {
    throw invalid("status", "must be WEBHOOK_STATUS_ENABLED or WEBHOOK_STATUS_DISABLED");
  }
  const patch: WebhookPatch = {
    ...(fields.has("url") && { url: checkedUrl(values.url, webhookAllowedHosts) }),
    ...(fields.has("events") && { events: checkedEvents(values.events) }),
    ...(fields.has("description") && { description: values.description }),
  };
  const decide = (current: Webhook): WebhookPatch => ({
    ...patch,
    ...(fields.has("status") && status !== null && newStatus(current, status)),
  });
  const updated = await webhooks.updateWebhook(tenantId, webhookId, decide, act);
  if (updated === undefined) throw webhookNotFound();
  return updated;
}

/** Makes a new secret, which is returned once; with `clientRequestId` a repeated call makes no second one. */
export function rotateSecret(
  ctx: UpdateWebhookContext,
  tenantId: string,
  webhookId: string,
  clientRequestId: string,
  act: Act,
): Promise<HandedWebhook> {
  const call = idempotentCall(clientRequestId, tenantId, act, "rotateWebhookSecret", { webhookId });
  return idempotently(
    ctx,
    call,
    async () => {
      const secret = drawSecret();
      const replacement = { secret, overlapMs: OVERLAP_MS };
      const webhook = await ctx.webhooks.replaceSecret(tenantId, webhookId, replacement, act, call);
      if (webhook === undefined) throw webhookNotFound();
      return { webhook, secret };
    },
    async () => ({ webhook: await getWebhook(ctx, tenantId, webhookId), secret: null }),
  );
}

/** A webhook as the audit trail compares it. Its secret is not part of it. */
export function auditedWebhook({ url, events, description, status, disabledReason }: Webhook): Audited {
  return { url, events: [...events], description, status, disabled_reason: disabledReason };
}

/** A webhook that is enabled starts again: it has not failed yet. One that has the status already keeps its reason. */
function newStatus(current: Webhook, status: WebhookStatus): WebhookPatch {
  if (status === current.status) return {};
  return status === "enabled"
    ? { status, disabledReason: null, failingSince: null }
    : { status, disabledReason: "requested" };
}
