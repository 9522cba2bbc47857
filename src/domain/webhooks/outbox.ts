import type { EventSource } from "./event-source.ts";
import type { EventType } from "./event-types.ts";
import type { AttemptedDelivery, AttemptOutcome } from "./retry.ts";
import type { WebhookAnswer, WebhookRequest } from "./sender.ts";

/** One worker has exclusive use of what it has claimed, until `leaseMs` after the claim. */
export interface OutboxLease {
  readonly token: string;
  readonly leaseMs: number;
}

/** An event as the transaction of its change has written it. */
export interface RawEvent {
  readonly eventId: string;
  readonly tenantId: string;
  /** Grows from each event of a record to the next. */
  readonly sequence: number;
  /** The type, or the action of the audit event. */
  readonly type: string;
  /** Its subject: the identifier of a key, a user, an invitation, a run or a tenant. */
  readonly subject: string;
  readonly at: Date;
  readonly source: EventSource;
}

/** A user whom a body names. */
export interface NamedUser {
  readonly user_id: string;
  /** Null: not known, as of users of publishable keys. */
  readonly issuer: string | null;
}

/** An event as it is sent. */
export interface PreparedEvent {
  readonly eventId: string;
  readonly type: EventType;
  readonly body: string;
  readonly users: readonly NamedUser[];
}

/** The events of one row of the outbox. None: the change is not an event. The first has the row's id. */
export interface Prepared {
  readonly raw: RawEvent;
  readonly events: readonly PreparedEvent[];
}

/** A delivery that a worker has claimed. */
export interface ClaimedDelivery extends WebhookRequest, AttemptedDelivery {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly leaseToken: string;
}

/** How many deliveries to claim: to endpoints whose last attempt succeeded, and to those that fail. */
export interface DeliveryPlaces {
  readonly healthy: number;
  readonly failing: number;
}

/**
 * Events and their deliveries as the workers of all replicas share them. Every method may throw `StoreUnavailable`.
 */
export interface Outbox {
  /** Claims events that are not prepared, some of each tenant, the oldest first. */
  claimEvents(lease: OutboxLease, most: number): Promise<readonly RawEvent[]>;
  /**
   * Stores the bodies of claimed events and one delivery for each enabled webhook that an event is for, in one transaction; what is
   * for none is removed. Events that another worker has claimed since are left out. Returns the number of deliveries.
   */
  storePrepared(leaseToken: string, prepared: readonly Prepared[]): Promise<number>;
  /**
   * Claims deliveries that are due, a few of each endpoint and each tenant: those under way on all replicas count.
   */
  claimDeliveries(lease: OutboxLease, places: DeliveryPlaces): Promise<readonly ClaimedDelivery[]>;
  /**
   * Stores what became of an attempt, and disables the webhook where the outcome says so, with an audit event. Returns false if the
   * lease was lost: then nothing is stored.
   */
  storeOutcome(claimed: ClaimedDelivery, answer: WebhookAnswer, outcome: AttemptOutcome): Promise<boolean>;
  /** Hands deliveries back, without counting an attempt. */
  release(leaseToken: string): Promise<void>;
  /** Ends some pending deliveries of disabled webhooks. Returns whether there may be more. */
  failDisabled(): Promise<boolean>;
  /** Removes some events older than `days` with their deliveries. Returns whether there may be more. */
  removeOld(days: number): Promise<boolean>;
  /** For metrics. */
  countBacklog(): Promise<OutboxBacklog>;
}

export interface OutboxBacklog {
  /** Seconds for which the oldest event has waited for its first attempt, without endpoints that fail. 0: none waits. */
  readonly oldestSeconds: number;
  /** Webhooks that were disabled because their endpoints fail or are gone. */
  readonly disabled: number;
}
