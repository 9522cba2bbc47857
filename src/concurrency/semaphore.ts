/** Slots for a bounded number of tasks at once. The others wait in the order in which they came. */
export class Semaphore {
  readonly #atOnce: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Tasks that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether the next `enter` has a slot at once. */
  get isFree(): boolean {
    return this.#taken < this.#atOnce;
  }

  get isIdle(): boolean {
    return this.#taken === 0;
  }

  /** Runs a task when a slot is free. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.enter();
    if (turn !== undefined) await turn;
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /** Returns undefined if the caller has a slot now; else resolves when it has one, or rejects once the signal is aborted. */
  enter(signal?: AbortSignal): Promise<void> | undefined {
    if (this.isFree) {
      this.#taken += 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      this.#waiting.add(resolve);
      const giveUp = (): void => {
        if (this.#waiting.delete(resolve)) reject(signal?.reason);
      };
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Hands the caller's slot to the next task directly, so that no later one gets ahead. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#taken -= 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
