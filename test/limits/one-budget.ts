import * as budgets from "../../src/domain/limits/budget.ts";
import type { Caps } from "../../src/domain/limits/caps.ts";
import type { LimitDecision, PeekedLimit } from "../../src/domain/limits/decision.ts";

const CLOSED = { startMs: 0, count: 0 };
const UNUSED: budgets.LimiterState = { atMs: 0, minute: CLOSED, hour: CLOSED, level: 0, capacity: 0 };

/** `take` of a request that spends from one budget. */
export function take(
  state: budgets.LimiterState | undefined,
  limit: Caps,
  nowMs: number,
  cost = 1,
): { decision: LimitDecision; state: budgets.LimiterState } {
  const { decision, states } = budgets.take([{ state, limit }], cost, nowMs);
  return { decision, state: states[0] ?? UNUSED };
}

/** `peek` at one budget. */
export function peek(state: budgets.LimiterState | undefined, limit: Caps, nowMs: number): PeekedLimit {
  return budgets.peek([{ state, limit }], nowMs);
}
