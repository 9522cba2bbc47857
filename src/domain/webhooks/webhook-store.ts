import type { Act } from "../audit/event.ts";
import type { IdempotentCall } from "../idempotency/idempotent-call.ts";
import type { TimeCursor } from "../vocabulary/time-cursor.ts";
import type { WebhookSecrets } from "./signature.ts";
import type { Delivery, DeliveryStatus, Webhook } from "./webhook.ts";

export interface NewWebhook extends Pick<Webhook, "webhookId" | "tenantId" | "url" | "events" | "description"> {
  readonly secret: string;
}

/** The members that a change sets. */
export type WebhookPatch = Partial<
  Pick<Webhook, "url" | "events" | "description" | "status" | "disabledReason" | "failingSince">
>;

/** Which deliveries to read. Empty texts and null match all. */
export interface DeliveryFilter {
  readonly webhookId: string;
  readonly eventId: string;
  readonly type: string;
  readonly status: DeliveryStatus | null;
}

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  /** Undefined: there are no more. */
  readonly next: TimeCursor | undefined;
}

/** Which deliveries of a webhook to send again. */
export interface Redelivered {
  readonly since: Date;
  readonly onlyFailed: boolean;
}

/** Tenants' webhooks and their deliveries. Every method may throw `StoreUnavailable`. */
export interface WebhookStore {
  /** Throws if the tenant has `WEBHOOKS_MAX`, or was erased, and `IdempotentReplay` if the same call has made one before. */
  insertWebhook(webhook: NewWebhook, act: Act, call?: IdempotentCall): Promise<Webhook>;
  /** The oldest first. */
  listWebhooks(tenantId: string): Promise<readonly Webhook[]>;
  findWebhook(tenantId: string, webhookId: string): Promise<Webhook | undefined>;
  /** As it is now, for a request that is sent now. */
  findSecrets(tenantId: string, webhookId: string): Promise<WebhookSecrets | undefined>;
  /** Changes it as `decide` says, under its row lock. Pending deliveries of a webhook that becomes disabled have failed. */
  updateWebhook(
    tenantId: string,
    webhookId: string,
    decide: (current: Webhook) => WebhookPatch,
    act: Act,
  ): Promise<Webhook | undefined>;
  /**
   * Each secret that signs goes on: the one so far for `overlapMs` by the storage's clock. Throws if `SECRETS_MAX` would sign
   * already: none that receivers hold is dropped. Throws `IdempotentReplay` if the same call has replaced it before.
   */
  replaceSecret(
    tenantId: string,
    webhookId: string,
    replacement: { readonly secret: string; readonly overlapMs: number },
    act: Act,
    call?: IdempotentCall,
  ): Promise<Webhook | undefined>;
  /** Removes it with its deliveries. Returns whether there was one. */
  deleteWebhook(tenantId: string, webhookId: string, act: Act): Promise<boolean>;
  /** Newest first, after the cursor. */
  listDeliveries(
    tenantId: string,
    filter: DeliveryFilter,
    page: { readonly after: TimeCursor | undefined; readonly perPage: number; readonly withBody: boolean },
  ): Promise<DeliveryPage>;
  /**
   * Has an event sent again to all enabled webhooks that it is for, or to one of them. Undefined: there are no such deliveries.
   * Otherwise how many are sent again.
   */
  redeliverEvent(tenantId: string, eventId: string, webhookId: string | null): Promise<number | undefined>;
  /** Has some events of a webhook sent again, oldest first, after the cursor. */
  redeliverSince(
    tenantId: string,
    webhookId: string,
    which: Redelivered,
    page: { readonly after: TimeCursor | undefined; readonly most: number },
  ): Promise<{ readonly count: number; readonly next: TimeCursor | undefined }>;
}

/** Maximum number of secrets of a webhook that sign at once. */
export const SECRETS_MAX = 5;

/** Maximum number of webhooks of a tenant. */
export const WEBHOOKS_MAX = 20;
