import type { RateLimit } from "../keys/key.ts";
import type { LimitDecision, LimitState } from "./decision.ts";

/**
 * Spends from keys' budgets by the rules of `limiter.ts`. One call decides and spends in one atomic step on one clock,
 * so that any number of concurrent callers admit exactly what the limit allows.
 */
export interface Limiter {
  /** Spends one request, unless it is denied. May throw `StoreUnavailable`: then it is unknown whether it was spent. */
  take(keyId: string, limit: RateLimit): Promise<LimitDecision>;
  /** How a budget stands, spending nothing. */
  peek(keyId: string, limit: RateLimit): Promise<LimitState>;
}
