/** Work of several, and now and then of one alone. */
export interface Turns {
  /** Runs at once, beside others, unless one is alone. */
  beside<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Waits until all that is under way has ended, and runs while nothing else begins. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createTurns(): Turns {
  const underWay = new Set<Promise<unknown>>();
  let free: Promise<void> = Promise.resolve();
  return {
    async beside(work) {
      for (let awaited: Promise<void> | undefined; awaited !== free; ) {
        awaited = free;
        await awaited;
      }
      const working = work();
      underWay.add(working);
      try {
        return await working;
      } finally {
        underWay.delete(working);
      }
    },
    async alone(work) {
      const before = free;
      const { promise, resolve } = Promise.withResolvers<void>();
      free = promise;
      await before;
      await Promise.allSettled(underWay);
      try {
        return await work();
      } finally {
        resolve();
      }
    },
  };
}
