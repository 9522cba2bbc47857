import { LRUCache } from "lru-cache";
import type { LimitDecision } from "../../domain/limits/decision.ts";
import { idleAtMs, isUnlimited, type LimiterState, peek, take } from "../../domain/limits/limiter.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Limiter } from "../../domain/ports/limiter.ts";

/** Keys whose budgets are kept at a time, about 400 bytes each. */
const KEYS_MAX = 100_000;

/** Idle keys forgotten per request: more than one, to catch up, but few, so that no request pays for all. */
const FORGOTTEN_PER_TAKE_MAX = 16;

/**
 * Budgets in this process only: several replicas each admit the full limit. Lost on restart.
 *
 * A key is forgotten once its windows have ended and its bucket is full, which no caller can notice. When `keysMax`
 * keys are all still short of their full budget, a further key displaces the one used longest ago: that one then starts
 * afresh, so beyond the bound a key may be admitted more often than its limit says, but memory stays bounded and every
 * other key exact. Unlimited keys are not kept.
 *
 * A take is atomic because it never waits; it costs O(log keys) and no timers.
 */
export function createMemoryLimiter(clock: Clock, options: { keysMax?: number } = {}): Limiter {
  const { keysMax = KEYS_MAX } = options;
  const byIdleness = new IdleHeap();
  // By size, of which each entry has 1: for a number of entries it would make room at once, which a start waits for.
  const entries = new LRUCache<string, Entry>({
    maxSize: keysMax,
    sizeCalculation: () => 1,
    dispose: (entry) => byIdleness.remove(entry),
  });

  function forgetIdle(nowMs: number): void {
    for (let n = 0; n < FORGOTTEN_PER_TAKE_MAX; n++) {
      const next = byIdleness.first();
      if (next === undefined || next.idleMs > nowMs) return;
      entries.delete(next.keyId);
    }
  }

  return {
    async take(keyId, limit): Promise<LimitDecision> {
      const nowMs = clock().getTime();
      // Before a key is added: a full table must lose an idle one rather than the one used longest ago.
      forgetIdle(nowMs);
      if (isUnlimited(limit)) return take(undefined, limit, nowMs).decision;

      const known = entries.get(keyId);
      const { decision, state } = take(busyState(known, nowMs), limit, nowMs);
      const entry = known ?? { keyId, state, idleMs: Number.NaN, position: -1 };
      entry.state = state;
      if (known === undefined) entries.set(keyId, entry);
      const idleMs = idleAtMs(state, limit);
      // As a rule it is the end of a window, and stays.
      if (idleMs !== entry.idleMs) {
        entry.idleMs = idleMs;
        byIdleness.place(entry);
      }
      return decision;
    },
    async peek(keyId, limit) {
      const nowMs = clock().getTime();
      return peek(busyState(entries.peek(keyId), nowMs), limit, nowMs);
    },
  };
}

interface Entry {
  readonly keyId: string;
  state: LimiterState;
  idleMs: number;
  /** Its place in the heap; -1 is none. */
  position: number;
}

/** None of a key that is idle, forgotten yet or not: under a limit that changed since, its state would be another. */
function busyState(entry: Entry | undefined, nowMs: number): LimiterState | undefined {
  return entry !== undefined && entry.idleMs > nowMs ? entry.state : undefined;
}

/**
 * A binary heap with the entry that is idle first at the top. The order of last use would not do: a key with an hourly
 * cap stays busy for an hour, and those used after it may be idle in a minute.
 */
class IdleHeap {
  readonly #heap: Entry[] = [];

  first(): Entry | undefined {
    return this.#heap[0];
  }

  /** Adds the entry, or moves it after its `idleMs` changed. */
  place(entry: Entry): void {
    if (entry.position < 0) entry.position = this.#heap.push(entry) - 1;
    this.#rise(entry);
    this.#sink(entry);
  }

  remove(entry: Entry): void {
    const last = this.#heap.pop();
    if (last !== undefined && last !== entry) {
      this.#put(last, entry.position);
      this.place(last);
    }
    entry.position = -1;
  }

  #rise(entry: Entry): void {
    for (;;) {
      const parent = this.#heap[(entry.position - 1) >> 1];
      if (entry.position === 0 || parent === undefined || parent.idleMs <= entry.idleMs) return;
      this.#swap(entry, parent);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const left = this.#heap[2 * entry.position + 1];
      const right = this.#heap[2 * entry.position + 2];
      const child = left !== undefined && right !== undefined && right.idleMs < left.idleMs ? right : left;
      if (child === undefined || child.idleMs >= entry.idleMs) return;
      this.#swap(entry, child);
    }
  }

  #swap(one: Entry, other: Entry): void {
    const position = one.position;
    this.#put(one, other.position);
    this.#put(other, position);
  }

  #put(entry: Entry, position: number): void {
    this.#heap[position] = entry;
    entry.position = position;
  }
}
