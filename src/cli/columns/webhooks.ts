import {
  type Webhook,
  type WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookStatus,
  type WebhookTest,
} from "../../../clients/typescript/src/index.ts";
import type { Column, Tone } from "../output/column.ts";
import { instant, word, yesOrNo } from "../output/values.ts";
import { actorName } from "./audit.ts";

const TONES: Readonly<Record<string, Tone>> = {
  enabled: "good",
  disabled: "bad",
  delivered: "good",
  failed: "bad",
};

const statusOf = ({ status }: Webhook): string => word(WebhookStatus, status);
const deliveryStatusOf = ({ status }: WebhookDelivery): string => word(WebhookDeliveryStatus, status);

export const WEBHOOK: readonly Column<Webhook>[] = [
  { name: "webhook_id", text: ({ webhookId }) => webhookId },
  { name: "url", text: ({ url }) => url, shrinks: true },
  { name: "events", text: ({ events }) => events.join(","), shrinks: true },
  { name: "status", text: statusOf, tone: (webhook) => TONES[statusOf(webhook)] },
  { name: "disabled_reason", text: ({ disabledReason }) => disabledReason },
  { name: "failing_since", text: ({ failingSince }) => instant(failingSince) },
  { name: "description", text: ({ description }) => description, onlyInRecord: true },
  {
    name: "previous_secret_until",
    text: ({ previousSecretUntil }) => instant(previousSecretUntil),
    onlyInRecord: true,
  },
  { name: "created_at", text: ({ createdAt }) => instant(createdAt), onlyInRecord: true },
  { name: "created_by", text: ({ createdBy }) => actorName(createdBy), onlyInRecord: true },
];

export const DELIVERY: readonly Column<WebhookDelivery>[] = [
  { name: "created_at", text: ({ createdAt }) => instant(createdAt) },
  { name: "event_id", text: ({ eventId }) => eventId },
  { name: "webhook_id", text: ({ webhookId }) => webhookId },
  { name: "type", text: ({ type }) => type },
  { name: "status", text: deliveryStatusOf, tone: (delivery) => TONES[deliveryStatusOf(delivery)] },
  { name: "attempts", text: ({ attempts }) => String(attempts) },
  { name: "last_status", text: ({ lastStatus }) => (lastStatus === 0 ? "" : String(lastStatus)) },
  { name: "last_error", text: ({ lastError }) => lastError, shrinks: true },
  { name: "next_attempt_at", text: ({ nextAttemptAt }) => instant(nextAttemptAt) },
];

export const TEST: readonly Column<WebhookTest>[] = [
  { name: "event_id", text: ({ eventId }) => eventId },
  {
    name: "delivered",
    text: ({ delivered }) => yesOrNo(delivered),
    tone: ({ delivered }) => (delivered ? "good" : "bad"),
  },
  { name: "status", text: ({ status }) => (status === 0 ? "" : String(status)) },
  { name: "duration_ms", text: ({ durationMs }) => String(durationMs) },
  { name: "error", text: ({ error }) => error },
  { name: "answer", text: ({ answer }) => answer },
];
