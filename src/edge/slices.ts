import { LRUCache } from "lru-cache";
import { isUnlimited, unlimitedDecision } from "../domain/limits/budget.ts";
import type { RateLimit } from "../domain/limits/caps.ts";
import { type LimitDecision, UNLIMITED_REQUESTS } from "../domain/limits/decision.ts";
import { type Limiter, NEVER_GIVEN_BACK } from "../domain/limits/limiter.ts";
import type { Awaitable } from "../domain/vocabulary/awaitable.ts";
import type { Clock } from "../domain/vocabulary/clock.ts";
import { StoreUnavailable } from "../domain/vocabulary/store-unavailable.ts";
import type { Link, SliceQuestion } from "./link.ts";
import { fromEdgeDecision, fromEdgePeek } from "./messages.ts";

export interface SlicesContext {
  readonly link: Pick<Link, "askSlice" | "returnSlice">;
  readonly clock: Clock;
  readonly monotonicMs?: () => number;
}

export interface EdgeLimiter extends Pick<Limiter, "take" | "peek"> {
  /** Gives back what was not spent for a while; all of it with `isClosing`. */
  returnIdle(isClosing?: boolean): void;
}

/** At least and at most so many requests are asked for: an edge that is killed takes them with it. */
const LEAST = 10;
const MOST = 100;
/** Requests that were not spent for so long are given back. */
const IDLE_MS = 500;
/** Budgets of which a slice is held. One that is evicted gives its slice back. */
const BUDGETS_MAX = 50_000;

const NEVER = BigInt(NEVER_GIVEN_BACK);

/** A slice that is being spent. */
interface Held {
  left: number;
  /** What the budget decided when the slice was taken. `remaining`: beside the slice. */
  readonly decision: LimitDecision;
  readonly takenAtMs: bigint;
  /** By the clock of this process: the slice belongs to a window that ends then. */
  readonly untilMs: number;
  usedMs: number;
}

interface Waiting {
  readonly resolve: (decision: LimitDecision) => void;
  readonly reject: (err: unknown) => void;
}

interface Budget {
  readonly budgetId: string;
  readonly limit: RateLimit;
  readonly isShared: boolean;
  held: Held | undefined;
  /** Requests for which the slice does not suffice, in their order. One question is under way for all of them. */
  waiting: Waiting[];
  isAsking: boolean;
  /** Requests of this second and of the one before: as many are asked for. */
  second: number;
  count: number;
  before: number;
}

/**
 * Spends from slices of keys' budgets that a replica has taken before. Budgets of users, and requests that count as several, have
 * none: a replica spends them. Keys without a limit need none.
 *
 * The last request of a slice waits for the next slice, as those do for which it does not suffice: so 0 remaining means that
 * there was nothing more to be had.
 */
export function createEdgeLimiter({ link, clock, monotonicMs = () => performance.now() }: SlicesContext): EdgeLimiter {
  const budgets = new LRUCache<string, Budget>({ max: BUDGETS_MAX, dispose: giveBack });

  function giveBack(budget: Budget): void {
    const { held, budgetId, limit, isShared } = budget;
    budget.held = undefined;
    if (held === undefined || held.left === 0 || held.takenAtMs === NEVER) return;
    link.returnSlice({ budgetId, limit, unspent: held.left, takenAtMs: held.takenAtMs, shared: isShared });
  }

  function budgetOf(budgetId: string, limit: RateLimit, isShared: boolean): Budget {
    const known = budgets.get(budgetId);
    if (known !== undefined && isSame(known.limit, limit) && known.isShared === isShared) return known;
    const budget: Budget = {
      ...{ budgetId, limit, isShared, held: undefined, waiting: [], isAsking: false },
      ...{ second: 0, count: 0, before: 0 },
    };
    // Gives back what was taken for the limit before.
    budgets.set(budgetId, budget);
    return budget;
  }

  function countUse(budget: Budget, nowMs: number): void {
    const second = Math.floor(nowMs / 1_000);
    if (second !== budget.second) {
      budget.before = second === budget.second + 1 ? budget.count : 0;
      budget.second = second;
      budget.count = 0;
    }
    budget.count += 1;
  }

  /** The slice, as long as it may be spent. Then it is given back, for the hour may go on that the minute was part of. */
  function usable(budget: Budget, nowMs: number): Held | undefined {
    if (budget.held !== undefined && nowMs >= budget.held.untilMs) giveBack(budget);
    return budget.held;
  }

  async function ask(question: SliceQuestion) {
    const { decision, ...slice } = await link.askSlice(question);
    if (decision === undefined) throw new StoreUnavailable("the service could not reach the budget");
    return { ...slice, decision };
  }

  async function nextSlice(budget: Budget): Promise<Held> {
    giveBack(budget);
    const { budgetId, limit, isShared } = budget;
    const most = Math.max(LEAST, budget.waiting.length, Math.min(MOST, budget.before));
    const askedMs = monotonicMs();
    const slice = await ask({ budgetId, limit, spending: { isShared }, most, peek: false });
    const lifeMs = slice.lifeMs === undefined ? Number.POSITIVE_INFINITY : Number(slice.lifeMs);
    const { takenAtMs, granted: left } = slice;
    const usedMs = monotonicMs();
    budget.held = { left, decision: fromEdgeDecision(slice.decision), takenAtMs, untilMs: askedMs + lifeMs, usedMs };
    return budget.held;
  }

  /** Serves those that wait, slice after slice, until none waits. */
  async function serve(budget: Budget): Promise<void> {
    budget.isAsking = true;
    let last: { readonly waiting: Waiting; readonly held: Held } | undefined;
    try {
      let held = usable(budget, monotonicMs());
      while (budget.waiting.length > 0 || last !== undefined) {
        if (held === undefined || held.left === 0) held = await nextSlice(budget);
        // Its window may have ended on the way here: then it may not be spent in the next one.
        if (held.left > 0 && usable(budget, monotonicMs()) === undefined) {
          held = undefined;
          continue;
        }
        last?.waiting.resolve(allowed(last.held, held.left));
        last = undefined;
        if (held.left === 0) {
          for (const { resolve } of budget.waiting.splice(0)) resolve(held.decision);
          return;
        }
        held.usedMs = monotonicMs();
        for (let next = budget.waiting.shift(); next !== undefined; next = budget.waiting.shift()) {
          held.left -= 1;
          if (held.left === 0) {
            last = { waiting: next, held };
            break;
          }
          next.resolve(allowed(held, held.left));
        }
        if (last === undefined || last.held.decision.remaining > 0) continue;
        last.waiting.resolve(allowed(last.held, 0));
        last = undefined;
      }
    } catch (err) {
      // It is spent already.
      last?.waiting.resolve(allowed(last.held, 0));
      for (const { reject } of budget.waiting.splice(0)) reject(err);
    } finally {
      budget.isAsking = false;
      // The limit was changed meanwhile, or others have displaced it: no later request finds this slice.
      if (budgets.peek(budget.budgetId) !== budget) giveBack(budget);
    }
  }

  return {
    take(budgetId, limit, spending = {}): Awaitable<LimitDecision> {
      const { cost = 1, user, isShared = false } = spending;
      const hasUser = user !== undefined && limit.perUser !== undefined;
      if (!hasUser && isUnlimited(limit)) return unlimitedDecision(clock().getTime());
      if (hasUser || cost > 1)
        return ask({ budgetId, limit, spending, most: 0, peek: false }).then(({ decision }) =>
          fromEdgeDecision(decision),
        );
      const budget = budgetOf(budgetId, limit, isShared);
      const nowMs = monotonicMs();
      countUse(budget, nowMs);
      const held = usable(budget, nowMs);
      if (held !== undefined && held.left > 1 && budget.waiting.length === 0) {
        held.left -= 1;
        held.usedMs = nowMs;
        return allowed(held, held.left);
      }
      const { promise, resolve, reject } = Promise.withResolvers<LimitDecision>();
      budget.waiting.push({ resolve, reject });
      if (!budget.isAsking) void serve(budget);
      return promise;
    },
    async peek(budgetId, limit, { isShared = false } = {}) {
      if (isUnlimited(limit)) return { ...unlimitedDecision(clock().getTime()), atOnce: UNLIMITED_REQUESTS };
      return fromEdgePeek((await ask({ budgetId, limit, spending: { isShared }, most: 0, peek: true })).decision);
    },
    returnIdle(isClosing = false) {
      const nowMs = monotonicMs();
      for (const budget of budgets.values()) {
        if (budget.held === undefined || budget.isAsking) continue;
        if (isClosing || nowMs - budget.held.usedMs >= IDLE_MS) giveBack(budget);
      }
    },
  };
}

/** Never more than may still be spent: what the budget has beside the slice, others may spend. */
function allowed({ decision }: Held, remaining: number): LimitDecision {
  const { limit, resetAt } = decision;
  return { kind: "allow", limit, remaining, resetAt };
}

/** Whether the keys' limits are the same. Those of users have no slices. Requests with a cached record have one and the same. */
function isSame(one: RateLimit, other: RateLimit): boolean {
  if (one === other) return true;
  const { requestsPerMinute, requestsPerHour, burstSize } = one;
  return (
    requestsPerMinute === other.requestsPerMinute &&
    requestsPerHour === other.requestsPerHour &&
    burstSize === other.burstSize
  );
}
