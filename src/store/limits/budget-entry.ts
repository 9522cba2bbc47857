import type { LimiterState } from "../../domain/limits/budget.ts";
import type { Idling } from "./idle-heap.ts";

/** A budget in memory. */
export interface BudgetEntry extends Idling {
  readonly budgetId: string;
  state: LimiterState;
}

/**
 * Maximum number of idle budgets of a table that one request evicts: more than one, to catch up, but few, so that no
 * request pays for all.
 */
export const EVICTED_PER_TAKE_MAX = 16;

/**
 * The state of a budget that is not idle. An idle budget has none, evicted or not: if its limit has changed since, the old
 * state would give another result than a full budget.
 */
export function busyState(entry: BudgetEntry | undefined, nowMs: number): LimiterState | undefined {
  return entry !== undefined && entry.idleMs > nowMs ? entry.state : undefined;
}
