import type { Semaphore } from "../domain/conversations/conversation-store.ts";

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
        // The slot is handed over directly, so that no later task gets ahead.
        const next = queue.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
