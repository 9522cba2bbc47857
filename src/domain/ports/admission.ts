import type { KeyRecord, SecretHash } from "../keys/key.ts";
import type { LimitDecision, LimitState } from "../limits/decision.ts";

/** A key that somebody presented, as it is at one instant. */
export interface PresentedKey {
  readonly secretHash: SecretHash;
  readonly key: KeyRecord;
  /** By the clock that judges expiry and limits: with Redis its own, one for all replicas, else this process'. */
  readonly at: Date;
  /** What looking the key up has spent of its budget; null if nothing (`spendsOnSight`). */
  readonly decision: LimitDecision | null;
}

/**
 * The way of every request with a key: what the key is, and whether its limit admits the request.
 *
 * A key revoked, changed, disabled or rotated before the call began is seen so, on every replica. Every method may
 * throw `StoreUnavailable`.
 */
export interface Admission {
  /**
   * The record that this process last saw of the key, if it still has it. It may be stale: use it only to judge a user's
   * token early.
   */
  recall(secretHash: SecretHash): KeyRecord | undefined;
  /**
   * Finds a key by the hash of its secret; undefined if there is none. If `spending`, one request of a usable secret
   * key is spent in the same step. So may be one of a publishable key whose user was accepted by the record `judged`, but
   * only if that record is still the key's: then `key` of the answer is that object.
   */
  present(secretHash: SecretHash, spending: boolean, judged?: KeyRecord): Promise<PresentedKey | undefined>;
  /** Spends one request of a key that was presented, unless its limit denies it. */
  take(presented: PresentedKey): Promise<LimitDecision>;
  /** How the budget of a presented key stands, spending nothing. */
  peek(presented: PresentedKey): Promise<LimitState>;
}
