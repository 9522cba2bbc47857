import { type Budget, isUnlimited, type LimiterState, take } from "../../src/domain/limits/budget.ts";
import type { RateLimit } from "../../src/domain/limits/caps.ts";
import type { LimitDecision } from "../../src/domain/limits/decision.ts";
import type { GivenBack, Slice, SliceAsk, Spending } from "../../src/domain/limits/limiter.ts";
import { giveBack, takeSlice } from "../../src/domain/limits/slice.ts";

/** The pure function with one key's budgets in a plain map, from which nothing is evicted. */
export class PlainLimiter {
  readonly #states: Map<string, LimiterState>;

  /** With the budgets of another one. */
  constructor(other: PlainLimiter | undefined = undefined) {
    this.#states = other === undefined ? new Map() : new Map(other.#states);
  }

  take(limit: RateLimit, nowMs: number, { cost = 1, user, isShared }: Spending = {}): LimitDecision {
    const budgets: (Budget & { readonly id: string })[] = [{ id: "", state: this.stateOf(), limit, isShared }];
    if (user !== undefined && limit.perUser !== undefined) {
      const { perUser } = limit;
      budgets.push({ id: user, state: this.stateOf(user), limit: perUser, isShared, scope: "user" });
    }
    const { decision, states } = take(budgets, cost, nowMs);
    for (const [n, { id, limit }] of budgets.entries()) {
      const state = states[n];
      if (state !== undefined && !isUnlimited(limit)) this.#states.set(id, state);
    }
    return decision;
  }

  slice(limit: RateLimit, nowMs: number, { most, isShared }: SliceAsk): Slice {
    const { slice, state } = takeSlice({ state: this.stateOf(), limit, isShared }, most, nowMs);
    if (state !== undefined) this.#states.set("", state);
    return slice;
  }

  giveBack(limit: RateLimit, nowMs: number, { isShared, ...unspent }: GivenBack): void {
    const state = giveBack({ state: this.stateOf(), limit, isShared }, unspent, nowMs);
    if (state !== undefined) this.#states.set("", state);
  }

  /** The state of the key's budget, or of a user's. */
  stateOf(user = ""): LimiterState | undefined {
    return this.#states.get(user);
  }
}
