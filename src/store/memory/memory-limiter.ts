import { LRUCache } from "lru-cache";
import { idleAtMs, isUnlimited, type LimiterState, peek, take } from "../../domain/limits/budget.ts";
import type { LimitDecision } from "../../domain/limits/decision.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Limiter } from "../../domain/ports/limiter.ts";

/** Most keys whose budgets are in memory, about 400 bytes each. */
const KEYS_MAX = 100_000;

/** Most idle keys that one request evicts: more than one, to catch up, but few, so that no request pays for all. */
const EVICTED_PER_TAKE_MAX = 16;

/**
 * Keeps budgets in this process only: each of several replicas admits the full limit. A restart loses the budgets.
 *
 * A key is idle once its windows have ended and its bucket is full. Evicting an idle key changes nothing for its
 * callers. When `keysMax` keys are all busy, a further key evicts the least recently used one, whose budget then starts
 * full. So above that number a key may be admitted more often than its limit says, but memory stays bounded and all
 * other keys stay exact. Unlimited keys take no memory.
 *
 * A take is atomic because it never awaits. It costs O(log keys) and uses no timers.
 */
export function createMemoryLimiter(clock: Clock, options: { keysMax?: number } = {}): Limiter {
  const { keysMax = KEYS_MAX } = options;
  const byIdleness = new IdleHeap();
  // `maxSize` with size 1 for each entry, instead of `max`: that allocates all the room at once and delays the start.
  const entries = new LRUCache<string, Entry>({
    maxSize: keysMax,
    sizeCalculation: () => 1,
    dispose: (entry) => byIdleness.remove(entry),
  });

  function evictIdle(nowMs: number): void {
    for (let n = 0; n < EVICTED_PER_TAKE_MAX; n++) {
      const next = byIdleness.first();
      if (next === undefined || next.idleMs > nowMs) return;
      entries.delete(next.keyId);
    }
  }

  return {
    async take(keyId, limit): Promise<LimitDecision> {
      const nowMs = clock().getTime();
      // Before a key is added: a full table must evict an idle key rather than the least recently used one.
      evictIdle(nowMs);
      if (isUnlimited(limit)) return take(undefined, limit, nowMs).decision;

      const known = entries.get(keyId);
      const { decision, state } = take(busyState(known, nowMs), limit, nowMs);
      const entry = known ?? { keyId, state, idleMs: Number.NaN, position: -1 };
      entry.state = state;
      if (known === undefined) entries.set(keyId, entry);
      const idleMs = idleAtMs(state, limit);
      // Usually it is the end of a window and does not change.
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
  /** Its index in the heap; -1 if it is not in it. */
  position: number;
}

/**
 * The state of a key that is not idle. An idle key has none, evicted or not: if its limit has changed since, the old
 * state would give another result than a full budget.
 */
function busyState(entry: Entry | undefined, nowMs: number): LimiterState | undefined {
  return entry !== undefined && entry.idleMs > nowMs ? entry.state : undefined;
}

/**
 * A binary heap with the entry that is idle first at the top. The order of last use would not do: a key with an hourly
 * cap stays busy for an hour, and those used after it may be idle in a minute. Nor would lru-cache's `ttl`: without a timer
 * for each key, only `purgeStale` finds idle entries, and that takes 25 ms of one request with 100,000 keys.
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
