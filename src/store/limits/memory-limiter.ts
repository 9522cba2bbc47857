import { type Budget, isUnlimited, peek, take, unlimitedDecision } from "../../domain/limits/budget.ts";
import type { LimitDecision } from "../../domain/limits/decision.ts";
import type { Limiter, Slice } from "../../domain/limits/limiter.ts";
import { giveBack, takeSlice } from "../../domain/limits/slice.ts";
import type { Clock } from "../../domain/vocabulary/clock.ts";
import { KeyBudgets } from "./key-budgets.ts";
import { UserBudgets, type UserBudgetsMax } from "./user-budgets.ts";

/** Maximum number of key budgets, about 400 bytes each. */
const KEYS_MAX = 100_000;
/** Maximum number of user budgets, about 400 bytes each. */
export const USERS_MAX: UserBudgetsMax = { ofKey: 100_000, all: 200_000 };

/**
 * Keeps budgets in this process only: each of several replicas admits the full limit. A restart loses the budgets.
 *
 * A budget is idle once its windows have ended and its bucket is full. Evicting an idle one changes nothing for its
 * callers. When `keysMax` keys are all busy, a further key evicts the least recently used one, whose budget then starts
 * full. So above that number a key may be admitted more often than its limit says, but memory stays bounded and all
 * other keys stay exact. The same holds for users, who never evict a key. Unlimited budgets take no memory.
 *
 * A take is atomic because it never awaits. It costs O(log budgets) and uses no timers.
 */
export function createMemoryLimiter(
  clock: Clock,
  options: { readonly keysMax?: number; readonly usersMax?: UserBudgetsMax } = {},
): Limiter {
  const keys = new KeyBudgets(options.keysMax ?? KEYS_MAX);
  const users = new UserBudgets(options.usersMax ?? USERS_MAX);
  return {
    take(budgetId, limit, { cost = 1, user, isShared } = {}): LimitDecision {
      const nowMs = clock().getTime();
      if (isUnlimited(limit) && (user === undefined || limit.perUser === undefined)) return unlimitedDecision(nowMs);
      // Before a budget is added: a full table must evict an idle one rather than the least recently used one.
      keys.evictIdle(nowMs);
      users.evictIdle(nowMs);
      const budgets: Budget[] = [{ state: keys.busy(budgetId, nowMs), limit, isShared }];
      const { perUser } = limit;
      if (user !== undefined && perUser !== undefined)
        budgets.push({ state: users.busy(budgetId, user, nowMs), limit: perUser, isShared, scope: "user" });

      const { decision, states } = take(budgets, cost, nowMs);
      const [ofKey, ofUser] = states;
      if (ofKey !== undefined && !isUnlimited(limit)) keys.keep(budgetId, limit, ofKey);
      if (ofUser !== undefined && user !== undefined && perUser !== undefined && !isUnlimited(perUser))
        users.keep(budgetId, user, perUser, ofUser);
      return decision;
    },
    async peek(budgetId, limit, { isShared } = {}) {
      const nowMs = clock().getTime();
      return peek([{ state: keys.busy(budgetId, nowMs), limit, isShared }], nowMs);
    },
    slice(budgetId, limit, { most, isShared }): Slice {
      const nowMs = clock().getTime();
      keys.evictIdle(nowMs);
      const { slice, state } = takeSlice({ state: keys.busy(budgetId, nowMs), limit, isShared }, most, nowMs);
      if (state !== undefined && !isUnlimited(limit)) keys.keep(budgetId, limit, state);
      return slice;
    },
    giveBack(budgetId, limit, { isShared, ...unspent }): void {
      const nowMs = clock().getTime();
      const state = giveBack({ state: keys.busy(budgetId, nowMs), limit, isShared }, unspent, nowMs);
      if (state !== undefined && !isUnlimited(limit)) keys.keep(budgetId, limit, state);
    },
  };
}
