/** What can be evicted from an instant on. */
export interface Idling {
  idleMs: number;
  /** Its index in the heap; -1 if it is not in it. */
  position: number;
}

/**
 * A binary heap with the entry that is idle first at the top. The order of last use would not do: a budget with an hourly
 * cap stays busy for an hour, and those used after it may be idle in a minute. Nor would lru-cache's `ttl`: without a timer
 * for each budget, only `purgeStale` finds idle entries, and that takes 25 ms of one request with 100,000 of them.
 */
export class IdleHeap<Entry extends Idling> {
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
