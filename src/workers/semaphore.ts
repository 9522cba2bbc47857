import type { Semaphore } from "../domain/ports/conversations.ts";

export function createSemaphore(atOnce: number): Semaphore {
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
