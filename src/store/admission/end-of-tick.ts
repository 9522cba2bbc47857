/**
 * Returns a function whose promise resolves at the end of the current tick of the event loop, for all callers together.
 *
 * Requests that arrived together then run step by step beside each other, instead of each from its first byte to its
 * last: code and data stay in the processor's caches, and the answers are written back to back. Where a request waits
 * for nothing else, this more than halves its cost (docs/benchmarks.md).
 */
export function createEndOfTick(): () => Promise<void> {
  let end: Promise<void> | undefined;
  return () => {
    end ??= new Promise((resolve) => {
      setImmediate(() => {
        end = undefined;
        resolve();
      });
    });
    return end;
  };
}
