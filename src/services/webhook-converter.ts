import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type WebhookDeliverySchema,
  WebhookDeliveryStatus,
  type WebhookSchema,
  WebhookStatus,
} from "../../gen/latchkey/v1/webhook_pb.ts";
import type { ListWebhookDeliveriesRequest } from "../../gen/latchkey/v1/webhook_service_pb.ts";
import type { Delivery, DeliveryStatus, WebhookStatus as Status, Webhook } from "../domain/webhooks/webhook.ts";
import type { DeliveryFilter } from "../domain/webhooks/webhook-store.ts";
import { toActor } from "./audit-converter.ts";
import { toTimestamp } from "./dates.ts";

const STATUSES: Record<Status, WebhookStatus> = {
  enabled: WebhookStatus.ENABLED,
  disabled: WebhookStatus.DISABLED,
};
const DELIVERY_STATUSES: Record<DeliveryStatus, WebhookDeliveryStatus> = {
  pending: WebhookDeliveryStatus.PENDING,
  delivered: WebhookDeliveryStatus.DELIVERED,
  failed: WebhookDeliveryStatus.FAILED,
};

/** Null: not given. The proto admits no other value. */
export function fromStatus(status: WebhookStatus): Status | null {
  switch (status) {
    case WebhookStatus.ENABLED:
      return "enabled";
    case WebhookStatus.DISABLED:
      return "disabled";
    default:
      return null;
  }
}

export function fromDeliveryFilter(req: ListWebhookDeliveriesRequest): DeliveryFilter {
  const { webhookId, eventId, type, status } = req;
  return { webhookId, eventId, type, status: fromDeliveryStatus(status) };
}

function fromDeliveryStatus(status: WebhookDeliveryStatus): DeliveryStatus | null {
  switch (status) {
    case WebhookDeliveryStatus.PENDING:
      return "pending";
    case WebhookDeliveryStatus.DELIVERED:
      return "delivered";
    case WebhookDeliveryStatus.FAILED:
      return "failed";
    default:
      return null;
  }
}

export function toWebhook(webhook: Webhook): MessageInitShape<typeof WebhookSchema> {
  const { webhookId, url, events, description, status, disabledReason, createdAt, createdBy } = webhook;
  return {
    webhookId,
    url,
    events: [...events],
    description,
    status: STATUSES[status],
    disabledReason: disabledReason ?? "",
    createdAt: toTimestamp(createdAt),
    ...(createdBy !== null && { createdBy: toActor(createdBy) }),
    failingSince: toTimestamp(webhook.failingSince),
    previousSecretUntil: toTimestamp(webhook.previousSecretUntil),
  };
}

export function toDelivery(delivery: Delivery): MessageInitShape<typeof WebhookDeliverySchema> {
  const { deliveryId, webhookId, eventId, type, status, attempts, body } = delivery;
  return {
    ...{ deliveryId, webhookId, eventId, type, attempts },
    status: DELIVERY_STATUSES[status],
    createdAt: toTimestamp(delivery.createdAt),
    nextAttemptAt: toTimestamp(delivery.nextAt),
    lastAttemptAt: toTimestamp(delivery.lastAttemptAt),
    lastStatus: delivery.lastStatus ?? 0,
    lastDurationMs: delivery.lastDurationMs ?? 0,
    lastError: delivery.lastError ?? "",
    lastAnswer: delivery.lastAnswer ?? "",
    deliveredAt: toTimestamp(delivery.deliveredAt),
    ...(body !== null && { body }),
  };
}
