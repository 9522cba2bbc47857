import { idleAtMs, type LimiterState } from "../../domain/limits/budget.ts";
import type { Caps } from "../../domain/limits/caps.ts";
import { type BudgetEntry, busyState, EVICTED_PER_TAKE_MAX } from "./budget-entry.ts";
import { IdleHeap } from "./idle-heap.ts";

export interface UserBudgetsMax {
  /** Of one key. */
  readonly ofKey: number;
  /** Of all keys. */
  readonly all: number;
}

interface UserEntry extends BudgetEntry {
  readonly user: string;
}

/** The users of one key, those used last at the end. */
type Users = Map<string, UserEntry>;

/**
 * The budgets of users that are not idle. A further user of a key that has `ofKey` evicts that key's least recently used
 * one, and where there are `all`, that of the key with the most: many users of one key evict none of another.
 */
export class UserBudgets {
  readonly #max: UserBudgetsMax;
  readonly #byKey = new Map<string, Users>();
  readonly #byIdleness = new IdleHeap<UserEntry>();
  #count = 0;
  /** The key with the most users, as of the last one added. */
  #largest: Users = new Map();

  constructor(max: UserBudgetsMax) {
    this.#max = max;
  }

  busy(budgetId: string, user: string, nowMs: number): LimiterState | undefined {
    return busyState(this.#byKey.get(budgetId)?.get(user), nowMs);
  }

  keep(budgetId: string, user: string, limit: Caps, state: LimiterState): void {
    const idleMs = idleAtMs(state, limit);
    const known = this.#byKey.get(budgetId)?.get(user);
    // A new user whose key denied the request: an idle budget must not evict a busy one.
    if (known === undefined && idleMs <= state.atMs) return;
    if (known === undefined) this.#makeRoom(budgetId);
    const users = this.#usersOf(budgetId);
    // To the end of the order of last use.
    if (!users.delete(user)) this.#count += 1;
    const entry = known ?? { budgetId, user, state, idleMs, position: -1 };
    entry.state = state;
    entry.idleMs = idleMs;
    users.set(user, entry);
    this.#byIdleness.place(entry);
    if (users.size > this.#largest.size) this.#largest = users;
  }

  evictIdle(nowMs: number): void {
    for (let n = 0; n < EVICTED_PER_TAKE_MAX; n++) {
      const next = this.#byIdleness.first();
      if (next === undefined || next.idleMs > nowMs) return;
      this.#remove(next);
    }
  }

  #makeRoom(budgetId: string): void {
    const users = this.#byKey.get(budgetId);
    const isFull = users !== undefined && users.size >= this.#max.ofKey;
    if (!isFull && this.#count < this.#max.all) return;
    const [leastRecent] = (isFull ? users : this.#largest).values();
    if (leastRecent !== undefined) this.#remove(leastRecent);
  }

  #remove(entry: UserEntry): void {
    const users = this.#byKey.get(entry.budgetId);
    if (users?.delete(entry.user) !== true) return;
    if (users.size === 0) this.#byKey.delete(entry.budgetId);
    this.#count -= 1;
    this.#byIdleness.remove(entry);
  }

  #usersOf(budgetId: string): Users {
    const known = this.#byKey.get(budgetId);
    if (known !== undefined) return known;
    const users: Users = new Map();
    this.#byKey.set(budgetId, users);
    return users;
  }
}
