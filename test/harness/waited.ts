/**
 * Begins to count, and returns the milliseconds so far in which this process had nothing to do but wait. Bounds of time compare
 * with these and not with a clock: what a busy machine adds to that says nothing of the service, which runs in the same process.
 */
export function startWaitMeter(): () => number {
  const before = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(before).idle;
}

/** Those until the work was done. */
export async function waitedMs(work: Promise<unknown>): Promise<number> {
  const waited = startWaitMeter();
  await work;
  return waited();
}
