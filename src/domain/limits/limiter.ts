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
  /**
   * Takes a slice of a key's budget for a process that spends it by itself, by the rules of `limits/slice.ts`. The budgets of
   * its users are not asked. May throw `StoreUnavailable`: then the slice may have been taken, and is lost.
   */
  slice(budgetId: string, limit: RateLimit, ask: SliceAsk): Awaitable<Slice>;
  /**
   * Gives back what was not spent of a slice, once. Requests of a window that has ended since are not given back to a
   * later one. May throw `StoreUnavailable`: then it may or may not have been given back, and must not be given back again.
   */
  giveBack(budgetId: string, limit: RateLimit, slice: GivenBack): Awaitable<void>;
}

export interface SliceAsk {
  /** At most so many requests, 1 to 2147483647. */
  readonly most: number;
  /** As in `Spending`. */
  readonly isShared?: boolean | undefined;
}

/** Requests that a key's budget has counted already, and that a process admits by itself. */
export interface Slice {
  /** How many requests. 0: none would be admitted now. */
  readonly granted: number;
  /** With what remains of the budget after the slice. With `granted` 0 it is the denial of a request of cost 1. */
  readonly decision: LimitDecision;
  /**
   * For how many ms the slice may be spent, from the instant at which it was asked for: then the first of the windows that
   * count it ends. 0 with `granted` 0; infinite without a limit.
   */
  readonly lifeMs: number;
  /**
   * When the slice was taken, by the limiter's clock, in ms since the epoch; for `giveBack`. `NEVER_GIVEN_BACK`: what is not
   * spent of it is lost. So it is where there is no limit, and where a replica counted the slice while Redis was away.
   */
  readonly takenAtMs: number;
}

export interface GivenBack {
  /** How many requests were not spent, 1 to what was granted. */
  readonly unspent: number;
  /** That of the slice. */
  readonly takenAtMs: number;
  /** As in `Spending`. */
  readonly isShared?: boolean | undefined;
}

/** The `takenAtMs` of a slice that cannot be given back. */
export const NEVER_GIVEN_BACK = 0;

/** What a request spends, beyond one of its key's budget. */
export interface Spending {
  /** As how many requests it counts, 1 to 1,000. Default: 1. */
  readonly cost?: number | undefined;
  /** The id of its user's budget under the key (`userBudgetId`). Undefined: it has no user. */
  readonly user?: string | undefined;
  /** The id of its user's tenant, for the bound on users of a tenant (`tenantBudgetId`). Undefined where there is no user. */
  readonly tenant?: string | undefined;
  /** Whether two keys, whose limits may differ, spend from the budget. */
  readonly isShared?: boolean;
}
