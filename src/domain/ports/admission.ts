import type { KeyRecord, SecretHash } from "../keys/key.ts";
import type { LimitDecision, LimitState } from "../limits/decision.ts";

/** A key that a request carries, with its record as it was at one instant. */
export interface PresentedKey {
  readonly secretHash: SecretHash;
  readonly key: KeyRecord;
  /**
   * When the key was looked up. Expiry and limits use this clock: Redis' own, one for all replicas, or the process'.
   */
  readonly at: Date;
  /** The limit decision if the look-up already spent a request of the budget (`spendsOnSight`); otherwise null. */
  readonly decision: LimitDecision | null;
}

/**
 * Looks up the key of a request and decides whether its limit admits the request.
 *
 * A key that was revoked, changed, disabled or rotated before the call began is returned in its new state, on every
 * replica. Every method may throw `StoreUnavailable`.
 */
export interface Admission {
  /**
   * Returns the record that this process last saw of the key, if it is still in memory. It may be stale: use it only to
   * authenticate a user's token before the key itself is looked up.
   */
  recall(secretHash: SecretHash): KeyRecord | undefined;
  /**
   * Finds a key by the hash of its secret; undefined if no key has it.
   *
   * With `spending`, the same step spends one request of a usable secret key. It may also spend one of a publishable
   * key whose user was authenticated with the record `checkedWith`, if that is still the current record of the key:
   * then `key` in the result is that same object.
   */
  present(secretHash: SecretHash, spending: boolean, checkedWith?: KeyRecord): Promise<PresentedKey | undefined>;
  /** Spends one request of a presented key, unless its limit denies it. */
  take(presented: PresentedKey): Promise<LimitDecision>;
  /** Returns the state of the budget of a presented key and spends nothing. */
  peek(presented: PresentedKey): Promise<LimitState>;
}
