/** Returns a function that runs work, at most `count` at a time, in the order in which it came. */
export function atMost(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= count) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // Its place goes to the next one.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
