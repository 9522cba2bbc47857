import type { Awaitable } from "../vocabulary/awaitable.ts";
import type { RateLimit } from "./caps.ts";
import type { LimitDecision, PeekedLimit } from "./decision.ts";

/**
 * Spends from keys' budgets by the rules of `limits/budget.ts`. Each call decides and spends in one atomic step on one clock,
 * so that concurrent callers together get exactly what the limit allows.
 *
 * `budgetId` identifies the budget of a key: the key's id, or that of the first key of its rotations.
 */
export interface Limiter {
  /**
   * Spends one request, or denies it. May throw `StoreUnavailable`: then the request may or may not have been spent.
   */
  take(budgetId: string, limit: RateLimit, spending?: Spending): Awaitable<LimitDecision>;
  /** Returns the state of a key's budget, without those of its users, and spends nothing. */
  peek(budgetId: string, limit: RateLimit, spending?: Pick<Spending, "isShared">): Promise<PeekedLimit>;
}

/** What a request spends, beyond one of its key's budget. */
export interface Spending {
  /** As how many requests it counts, 1 to 1,000. Default: 1. */
  readonly cost?: number;
  /** The id of its user's budget under the key (`userBudgetId`). Undefined: it has no user. */
  readonly user?: string | undefined;
  /** The id of its user's tenant, for the bound on users of a tenant (`tenantBudgetId`). Undefined where there is no user. */
  readonly tenant?: string | undefined;
  /** Whether two keys, whose limits may differ, spend from the budget. */
  readonly isShared?: boolean;
}
