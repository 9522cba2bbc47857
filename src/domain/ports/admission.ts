import type { KeyRecord, SecretHash } from "../keys/key.ts";
import type { LimitDecision, LimitState } from "../limits/decision.ts";

/** A key that a request carries, with its record as it was at one instant. */
export interface PresentedKey {
  readonly key: KeyRecord;
  /** When the key was looked up, by the clock that decides when keys expire (`KeyClock`). */
  readonly at: Date;
  readonly isTenantSuspended: boolean;
}

/**
 * Looks up the key of a request, and decides whether its limit admits the request.
 *
 * A key that was revoked, changed, disabled or rotated before the call began is returned in its new state, on every
 * replica; and so is the state of its tenant. Every method may throw `StoreUnavailable`.
 */
export interface Admission {
  /** Finds a key by the hash of its secret; undefined if no key has it. */
  find(secretHash: SecretHash): Promise<PresentedKey | undefined>;
  /** Spends one request of a presented key, unless its limit denies it. */
  take(presented: PresentedKey): Promise<LimitDecision>;
  /** Returns the state of the budget of a presented key and spends nothing. */
  peek(presented: PresentedKey): Promise<LimitState>;
}
