import type { Act } from "../audit/event.ts";
import { pageRequest } from "../vocabulary/page.ts";
import { faultOf, type RequestFault } from "../vocabulary/request-fault.ts";
import { cursorIn, tokenOf } from "../vocabulary/time-cursor.ts";
import { checkedType } from "./rules.ts";
import type { Delivery, Webhook } from "./webhook.ts";
import type { DeliveryFilter, WebhookStore } from "./webhook-store.ts";

/** A page whose deliveries have bodies, each up to 64 KiB, is shorter. */
const WITH_BODY_MAX = 20;

/** Throws if the tenant has no such webhook. */
export async function getWebhook(
  { webhooks }: { readonly webhooks: Pick<WebhookStore, "findWebhook"> },
  tenantId: string,
  webhookId: string,
): Promise<Webhook> {
  const webhook = await webhooks.findWebhook(tenantId, webhookId);
  if (webhook === undefined) throw webhookNotFound();
  return webhook;
}

/** Removes a webhook with its deliveries. */
export async function deleteWebhook(
  { webhooks }: { readonly webhooks: Pick<WebhookStore, "deleteWebhook"> },
  tenantId: string,
  webhookId: string,
  act: Act,
): Promise<void> {
  if (!(await webhooks.deleteWebhook(tenantId, webhookId, act))) throw webhookNotFound();
}

/** Which page of the deliveries that the filter matches. Zero and an empty text are "not given". */
export interface DeliveriesPage {
  readonly pageToken: string;
  readonly perPage: number;
  readonly includeBody: boolean;
}

export interface ListedDeliveries {
  readonly deliveries: readonly Delivery[];
  /** Empty: there are no more. */
  readonly nextPageToken: string;
}

/** Lists the deliveries of a tenant. Throws if it has no webhook of the filter's identifier. */
export async function listDeliveries(
  ctx: { readonly webhooks: Pick<WebhookStore, "findWebhook" | "listDeliveries"> },
  tenantId: string,
  filter: DeliveryFilter,
  { pageToken, perPage, includeBody }: DeliveriesPage,
): Promise<ListedDeliveries> {
  const after = pageToken === "" ? undefined : cursorIn(pageToken);
  const type = checkedType(filter.type);
  if (filter.webhookId !== "") await getWebhook(ctx, tenantId, filter.webhookId);
  const most = pageRequest(1, perPage).perPage;
  const page = await ctx.webhooks.listDeliveries(
    tenantId,
    { ...filter, type },
    { after, perPage: includeBody ? Math.min(most, WITH_BODY_MAX) : most, withBody: includeBody },
  );
  return { deliveries: page.deliveries, nextPageToken: tokenOf(page.next) };
}

/** The same for a malformed identifier, one of another tenant and one that never was. */
export function webhookNotFound(): RequestFault {
  return faultOf("webhook_not_found", "webhook_id", "no such webhook; webhooks/list has them");
}
