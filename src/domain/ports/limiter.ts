import type { RateLimit } from "../keys/key.ts";
import type { LimitDecision, LimitState } from "../limits/decision.ts";

/**
 * Spends from keys' budgets by the rules of `limits/budget.ts`. Each call decides and spends in one atomic step on one clock,
 * so that concurrent callers together get exactly what the limit allows.
 *
 * `budgetId` identifies the budget and never changes for a key: it is the key's id.
 */
export interface Limiter {
  /**
   * Spends one request, or denies it. May throw `StoreUnavailable`: then the request may or may not have been spent.
   */
  take(budgetId: string, limit: RateLimit): Promise<LimitDecision>;
  /** Returns the state of a budget and spends nothing. */
  peek(budgetId: string, limit: RateLimit): Promise<LimitState>;
}
