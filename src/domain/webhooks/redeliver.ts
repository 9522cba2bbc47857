import { faultOf, RequestFault } from "../vocabulary/request-fault.ts";
import { cursorIn, tokenOf } from "../vocabulary/time-cursor.ts";
import { getWebhook } from "./read.ts";
import type { WebhookStore } from "./webhook-store.ts";

export interface RedeliverContext {
  readonly webhooks: Pick<WebhookStore, "findWebhook" | "redeliverEvent" | "redeliverSince">;
  /** Has the deliveries that are due sent without waiting for the next look. */
  readonly wakeDeliveries: () => void;
}

/** What to send again: one event, or all of a webhook since an instant. Undefined and null are "not given". */
export interface RedeliverCommand {
  readonly webhookId?: string | undefined;
  readonly eventId?: string | undefined;
  readonly since: Date | null;
  readonly onlyFailed: boolean;
  readonly pageToken: string;
}

export interface RedeliveredPage {
  readonly count: number;
  /** Empty: there are no more. */
  readonly nextPageToken: string;
}

/** Deliveries of one call. */
const AT_ONCE = 1_000;

export async function redeliver(
  ctx: RedeliverContext,
  tenantId: string,
  command: RedeliverCommand,
): Promise<RedeliveredPage> {
  const page = await redeliverPage(ctx, tenantId, command);
  if (page.count > 0) ctx.wakeDeliveries();
  return page;
}

function redeliverPage(ctx: RedeliverContext, tenantId: string, command: RedeliverCommand): Promise<RedeliveredPage> {
  const { eventId, since } = command;
  if (eventId !== undefined && since === null) return redeliverEvent(ctx, tenantId, eventId, command);
  if (eventId === undefined && since !== null) return redeliverSince(ctx, tenantId, since, command);
  throw new RequestFault("one_of_required", "exactly one of event_id and since is required");
}

async function redeliverEvent(
  ctx: RedeliverContext,
  tenantId: string,
  eventId: string,
  { webhookId, onlyFailed, pageToken }: RedeliverCommand,
): Promise<RedeliveredPage> {
  if (onlyFailed) throw faultOf("invalid_value", "only_failed", "requires since");
  if (pageToken !== "") throw faultOf("invalid_value", "page_token", "requires since");
  if (webhookId !== undefined) await requireEnabled(ctx, tenantId, webhookId);
  const count = await ctx.webhooks.redeliverEvent(tenantId, eventId, webhookId ?? null);
  if (count === undefined) {
    throw faultOf(
      "event_not_found",
      "event_id",
      "no delivery of such an event is kept; webhooks/deliveries/list has them",
    );
  }
  return { count, nextPageToken: "" };
}

async function redeliverSince(
  ctx: RedeliverContext,
  tenantId: string,
  since: Date,
  { webhookId, onlyFailed, pageToken }: RedeliverCommand,
): Promise<RedeliveredPage> {
  if (webhookId === undefined) throw faultOf("required", "webhook_id", "is required with since");
  const after = pageToken === "" ? undefined : cursorIn(pageToken);
  await requireEnabled(ctx, tenantId, webhookId);
  const page = { after, most: AT_ONCE };
  const { count, next } = await ctx.webhooks.redeliverSince(tenantId, webhookId, { since, onlyFailed }, page);
  return { count, nextPageToken: tokenOf(next) };
}

async function requireEnabled(ctx: RedeliverContext, tenantId: string, webhookId: string): Promise<void> {
  const { status } = await getWebhook(ctx, tenantId, webhookId);
  if (status === "enabled") return;
  throw faultOf(
    "webhook_disabled",
    "webhook_id",
    "the webhook is disabled; enable it first, with status in webhooks/update",
  );
}
