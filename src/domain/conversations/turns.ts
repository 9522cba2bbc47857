/** Lets a bounded number of works go at once; the others wait for their turn, first come, first served. */
export interface Turns {
  take<T>(work: () => Promise<T>): Promise<T>;
}

export function createTurns(atOnce: number): Turns {
  const queue: (() => void)[] = [];
  let free = atOnce;
  return {
    async take(work) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => queue.push(resolve));
      try {
        return await work();
      } finally {
        // The place goes straight to the next in line, so that nobody can slip in between.
        const next = queue.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
