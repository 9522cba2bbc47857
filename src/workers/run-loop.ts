import { randomUUID } from "node:crypto";
import { type Repeated, repeat } from "../concurrency/repeat.ts";
import { performRun, type RunContext } from "./run-attempt.ts";

/** Time for runs under way after the process receives its stop signal. Then they are handed over. */
const STOP_GRACE_MS = 5_000;

export interface RunLoopContext extends RunContext {
  /** Maximum number of runs of this process at once. */
  readonly runsAtOnce: number;
  /** How often to poll for work without an announcement: lost announcements, expired leases, retries. */
  readonly pollMs: number;
}

/**
 * The worker: claims due runs up to a limit, then pauses until there is more work or capacity. Once it stops, runs under way may end
 * within 5 s, then they are handed over.
 */
export function startRunLoop(ctx: RunLoopContext): Repeated {
  const underWay = new Map<AbortController, Promise<void>>();
  const loop = repeat(fillPlaces, ctx);

  async function fillPlaces(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && underWay.size < ctx.runsAtOnce) {
      const lease = { token: randomUUID(), leaseMs: ctx.leaseMs };
      const run = await ctx.queue.claimRun(lease, ctx.assistant.reads);
      if (run === undefined) return;
      const handover = new AbortController();
      const ended = performRun(ctx, run, handover.signal).then(() => {
        underWay.delete(handover);
        loop.wake();
      });
      underWay.set(handover, ended);
    }
  }

  async function stop(): Promise<void> {
    await loop.stop();
    const grace = setTimeout(() => {
      for (const handover of underWay.keys()) handover.abort();
    }, STOP_GRACE_MS);
    await Promise.all(underWay.values());
    clearTimeout(grace);
  }

  let stopped: Promise<void> | undefined;
  return { wake: loop.wake, stop: () => (stopped ??= stop()) };
}
