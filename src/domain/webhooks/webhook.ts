import type { Actor } from "../audit/event.ts";
import type { EventType } from "./event-types.ts";

export type WebhookStatus = "enabled" | "disabled";

/** Why a webhook is disabled: by a caller, by the endpoint's answer 410, or after five days without a success. */
export type DisabledReason = "requested" | "gone" | "failing";

/** The types that a webhook is for; `["*"]`: all. */
export type Subscribed = readonly EventType[] | readonly ["*"];

/** A tenant's endpoint for events, without its secrets. */
export interface Webhook {
  readonly webhookId: string;
  readonly tenantId: string;
  readonly url: string;
  readonly events: Subscribed;
  readonly description: string;
  readonly status: WebhookStatus;
  /** Null: it is enabled. */
  readonly disabledReason: DisabledReason | null;
  readonly createdAt: Date;
  /** Null: erased. */
  readonly createdBy: Actor | null;
  /** Since when every attempt has failed. Null: the last one succeeded, or there was none. */
  readonly failingSince: Date | null;
  /** Until when the previous secret signs, too. Null: no previous secret. */
  readonly previousSecretUntil: Date | null;
}

export type DeliveryStatus = "pending" | "delivered" | "failed";

/** One event for one webhook. */
export interface Delivery {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly type: EventType;
  readonly status: DeliveryStatus;
  /** Since it was created or redelivered. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** Null: it is not tried again. */
  readonly nextAt: Date | null;
  readonly lastAttemptAt: Date | null;
  /** Of the answer to the last attempt. Null: there was none. */
  readonly lastStatus: number | null;
  readonly lastDurationMs: number | null;
  readonly lastError: string | null;
  /** Its first 1,024 bytes. */
  readonly lastAnswer: string | null;
  readonly deliveredAt: Date | null;
  /** Null: not read, or not prepared yet. */
  readonly body: string | null;
}
