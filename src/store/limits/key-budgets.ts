import { LRUCache } from "lru-cache";
import { idleAtMs, type LimiterState } from "../../domain/limits/budget.ts";
import type { Caps } from "../../domain/limits/caps.ts";
import { type BudgetEntry, busyState, EVICTED_PER_TAKE_MAX } from "./budget-entry.ts";
import { IdleHeap } from "./idle-heap.ts";

/** The budgets of keys that are not idle. Where there are `keysMax`, a further one evicts the least recently used one. */
export class KeyBudgets {
  readonly #byIdleness = new IdleHeap<BudgetEntry>();
  readonly #entries: LRUCache<string, BudgetEntry>;

  constructor(keysMax: number) {
    // `maxSize` with size 1 for each entry, instead of `max`: that allocates all the room at once and delays the start.
    this.#entries = new LRUCache<string, BudgetEntry>({
      maxSize: keysMax,
      sizeCalculation: () => 1,
      dispose: (entry) => this.#byIdleness.remove(entry),
    });
  }

  busy(budgetId: string, nowMs: number): LimiterState | undefined {
    return busyState(this.#entries.peek(budgetId), nowMs);
  }

  keep(budgetId: string, limit: Caps, state: LimiterState): void {
    const idleMs = idleAtMs(state, limit);
    const known = this.#entries.get(budgetId);
    // A new key whose user's budget denied the request: an idle budget must not evict a busy one.
    if (known === undefined && idleMs <= state.atMs) return;
    const entry = known ?? { budgetId, state, idleMs: Number.NaN, position: -1 };
    entry.state = state;
    if (known === undefined) this.#entries.set(budgetId, entry);
    // Usually it is the end of a window and does not change.
    if (idleMs !== entry.idleMs) {
      entry.idleMs = idleMs;
      this.#byIdleness.place(entry);
    }
  }

  evictIdle(nowMs: number): void {
    for (let n = 0; n < EVICTED_PER_TAKE_MAX; n++) {
      const next = this.#byIdleness.first();
      if (next === undefined || next.idleMs > nowMs) return;
      this.#entries.delete(next.budgetId);
    }
  }
}
