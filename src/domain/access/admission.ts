import type { FoundKey, SecretHash } from "../credentials/key.ts";
import type { LimitDecision, PeekedLimit } from "../limits/decision.ts";
import type { Awaitable } from "../vocabulary/awaitable.ts";
import type { KeyUse } from "./spending.ts";

/** A key that a request carries, with its record as it was at one instant. */
export interface PresentedKey {
  readonly key: FoundKey;
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
  find(secretHash: SecretHash): Awaitable<PresentedKey | undefined>;
  /** Spends a request with a presented key, unless the key's limit or that of its user denies it. */
  take(presented: PresentedKey, use: KeyUse): Awaitable<LimitDecision>;
  /** Returns the state of the budget of a presented key, without those of its users, and spends nothing. */
  peek(presented: PresentedKey): Promise<PeekedLimit>;
}
