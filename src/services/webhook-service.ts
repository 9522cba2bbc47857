import type { WebhookService } from "../../gen/latchkey/v1/webhook_service_pb.ts";
import { refusePageToken } from "../domain/vocabulary/page.ts";
import { type CreateWebhookContext, createWebhook, type HandedWebhook } from "../domain/webhooks/create.ts";
import { deleteWebhook, getWebhook, listDeliveries } from "../domain/webhooks/read.ts";
import { type RedeliverContext, redeliver } from "../domain/webhooks/redeliver.ts";
import { isDelivered } from "../domain/webhooks/sender.ts";
import { type TestWebhookContext, testWebhook } from "../domain/webhooks/test-delivery.ts";
import { rotateSecret, type UpdateWebhookContext, updateWebhook } from "../domain/webhooks/update.ts";
import type { WebhookStore } from "../domain/webhooks/webhook-store.ts";
import type { UnaryImpl } from "../interceptors/call.ts";
import { actOf, setLogTarget, tenantOf } from "./callers.ts";
import { toDate } from "./dates.ts";
import { fromDeliveryFilter, fromStatus, toDelivery, toWebhook } from "./webhook-converter.ts";

type WebhooksContext = CreateWebhookContext &
  UpdateWebhookContext &
  RedeliverContext &
  TestWebhookContext & { readonly webhooks: WebhookStore };

export function createWebhookService(ctx: WebhooksContext): UnaryImpl<typeof WebhookService> {
  return {
    async createWebhook(req, context) {
      const handed = await createWebhook(ctx, tenantOf(context), req, req.clientRequestId, actOf(context));
      setLogTarget(context, handed.webhook.webhookId);
      return toHanded(handed);
    },
    async listWebhooks(req, context) {
      refusePageToken(req);
      const webhooks = await ctx.webhooks.listWebhooks(tenantOf(context));
      return { webhooks: webhooks.map(toWebhook) };
    },
    async getWebhook({ webhookId }, context) {
      return { result: toWebhook(await getWebhook(ctx, tenantOf(context), webhookId)) };
    },
    async updateWebhook({ webhookId, updateMask, status, ...values }, context) {
      const given = { ...values, status: fromStatus(status) };
      const act = actOf(context);
      const webhook = await updateWebhook(ctx, tenantOf(context), webhookId, updateMask, given, act);
      setLogTarget(context, webhookId);
      return { result: toWebhook(webhook) };
    },
    async deleteWebhook({ webhookId }, context) {
      await deleteWebhook(ctx, tenantOf(context), webhookId, actOf(context));
      setLogTarget(context, webhookId);
      return {};
    },
    async rotateWebhookSecret({ webhookId, clientRequestId }, context) {
      const handed = await rotateSecret(ctx, tenantOf(context), webhookId, clientRequestId, actOf(context));
      setLogTarget(context, webhookId);
      return toHanded(handed);
    },
    async testWebhook({ webhookId }, context) {
      const test = await testWebhook(ctx, tenantOf(context), webhookId);
      setLogTarget(context, webhookId);
      const { eventId, body, status, durationMs, error, answer } = test;
      return {
        result: {
          ...{ eventId, body, durationMs, delivered: isDelivered(test) },
          ...{ status: status ?? 0, error: error ?? "", answer: answer ?? "" },
        },
      };
    },
    async listWebhookDeliveries(req, context) {
      const { deliveries, nextPageToken } = await listDeliveries(ctx, tenantOf(context), fromDeliveryFilter(req), req);
      return { deliveries: deliveries.map(toDelivery), nextPageToken };
    },
    async redeliverWebhookEvents({ since, ...req }, context) {
      const { count, nextPageToken } = await redeliver(ctx, tenantOf(context), { ...req, since: toDate(since) });
      setLogTarget(context, req.eventId ?? req.webhookId ?? "");
      return { redelivered: count, nextPageToken };
    },
  };
}

function toHanded({ webhook, secret }: HandedWebhook) {
  return { result: toWebhook(webhook), ...(secret === null ? { alreadyCreated: true } : { secret }) };
}
