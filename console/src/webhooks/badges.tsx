import {
  type Webhook,
  type WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookStatus,
} from "../../../clients/typescript/src/gen/latchkey/v1/webhook_pb.ts";

/** Whether events are sent, and if not, why. */
export function WebhookBadge({ webhook: { status, disabledReason, failingSince } }: { webhook: Webhook }) {
  if (status === WebhookStatus.DISABLED) {
    return <span className="badge badge-bad">{REASONS[disabledReason] ?? "Disabled"}</span>;
  }
  if (failingSince !== undefined) return <span className="badge badge-warn">Failing</span>;
  return <span className="badge badge-good">Enabled</span>;
}

const REASONS: Readonly<Record<string, string>> = {
  requested: "Disabled",
  gone: "Disabled: it answered 410",
  failing: "Disabled: it failed for five days",
};

const LOOKS: Partial<Record<WebhookDeliveryStatus, { readonly name: string; readonly look: string }>> = {
  [WebhookDeliveryStatus.PENDING]: { name: "Pending", look: "warn" },
  [WebhookDeliveryStatus.DELIVERED]: { name: "Delivered", look: "good" },
  [WebhookDeliveryStatus.FAILED]: { name: "Failed", look: "bad" },
};

const RETRYING = { name: "Retrying", look: "warn" };

export function DeliveryBadge({ delivery: { status, attempts } }: { delivery: WebhookDelivery }) {
  const isRetried = status === WebhookDeliveryStatus.PENDING && attempts > 0;
  const { name, look } = isRetried ? RETRYING : (LOOKS[status] ?? { name: "Unknown", look: "quiet" });
  return <span className={`badge badge-${look}`}>{name}</span>;
}
