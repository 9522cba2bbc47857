import type { RateLimit } from "../keys/key.ts";
import type { LimitDecision, LimitState } from "../limits/decision.ts";

/**
 * Spends from keys' budgets by the rules of `limiter.ts`. One call decides and spends in one atomic step on one clock,
 * so that any number of concurrent callers admit exactly what the limit allows.
 *
 * `budgetId` is what the budget goes by, always the same for a key: its id within a process, the hash of its secret in
 * Redis, where that is all a request's first look knows of it.
 */
export interface Limiter {
  /** Spends one request, unless it is denied. May throw `StoreUnavailable`: then it is unknown whether it was spent. */
  take(budgetId: string, limit: RateLimit): Promise<LimitDecision>;
  /** How a budget stands, spending nothing. */
  peek(budgetId: string, limit: RateLimit): Promise<LimitState>;
}
