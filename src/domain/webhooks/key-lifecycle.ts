/** The occasions that a pass over the keys looks for. */
export const LIFECYCLE_KINDS = ["expiry", "unused", "rate_limited"] as const;
export type LifecycleKind = (typeof LIFECYCLE_KINDS)[number];

/** A key is warned of so many days before it expires: once for each of them that its life is long enough for. */
export const EXPIRING_DAYS = [30, 14, 7, 1] as const;
/** A key that was not used for so many days is unused. */
export const UNUSED_DAYS = 90;

/** One look through the keys. */
export interface LifecyclePass {
  readonly kind: LifecycleKind;
  /** When it began, by the storage's clock. */
  readonly startedAt: Date;
  /** When the one before it began: what expired until then was seen. */
  readonly since: Date;
}

/** Where a look through the keys of one tenant goes on. */
export interface LifecycleCursor {
  readonly createdAt: Date;
  readonly seq: number;
}

export interface LifecyclePiece {
  /** Events that were written. */
  readonly written: number;
  /** Undefined: there are no more keys. */
  readonly next: LifecycleCursor | "again" | undefined;
}

/**
 * Finds what happens to keys without a call, and writes its events to the outbox, each once over all replicas and restarts.
 * Every method may throw `StoreUnavailable`.
 */
export interface KeyLifecycle {
  /** Undefined: the next look is not due, or another replica has it. */
  beginPass(kind: LifecycleKind): Promise<LifecyclePass | undefined>;
  endPass(pass: LifecyclePass): Promise<void>;
  /** Tenants with an enabled webhook, in order, from after this one on. */
  listTenants(after: string): Promise<readonly string[]>;
  /** Looks through some keys of a tenant. */
  writeEvents(pass: LifecyclePass, tenantId: string, after: LifecycleCursor | undefined): Promise<LifecyclePiece>;
  /** Removes some of what is no longer needed to write each event once. Returns whether there may be more. */
  removeOld(): Promise<boolean>;
}
