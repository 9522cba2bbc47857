import { randomUUID } from "node:crypto";
import { performRun, type RunContext } from "./run-attempt.ts";
import { createWakeablePause } from "./wakeable-pause.ts";

/** Time for runs under way when the process is told to stop; then they are handed over. */
const STOP_GRACE_MS = 5_000;

export interface RunLoopContext extends RunContext {
  /** Most runs of this process at once. */
  readonly runsAtOnce: number;
  /** How often to look for work that nobody announced: lost announcements, expired leases, retries. */
  readonly pollMs: number;
}

export interface RunLoop {
  /** Looks for work now, not at the next poll. */
  wake(): void;
  /** Takes no more work at once; lets what is under way end within 5 s, then hands it over. May be called again. */
  stop(): Promise<void>;
}

/** The worker: takes what is due from the queue, up to a bound, and rests until there is more or a place is free. */
export function startRunLoop(ctx: RunLoopContext): RunLoop {
  const pause = createWakeablePause();
  const underWay = new Map<AbortController, Promise<void>>();
  let stopping = false;

  async function work(): Promise<void> {
    while (!stopping) {
      // Before looking, so that what comes during the look is not slept over.
      const more = pause.next(ctx.pollMs);
      try {
        await fillPlaces();
      } catch (err) {
        ctx.onFault(err);
      }
      await more;
    }
  }

  async function fillPlaces(): Promise<void> {
    while (!stopping && underWay.size < ctx.runsAtOnce) {
      const lease = { token: randomUUID(), leaseMs: ctx.leaseMs };
      const run = await ctx.queue.claimRun(lease, ctx.assistant.reads);
      if (run === undefined) return;
      const handover = new AbortController();
      const ended = performRun(ctx, run, handover.signal).then(() => {
        underWay.delete(handover);
        pause.wake();
      });
      underWay.set(handover, ended);
    }
  }

  async function stop(): Promise<void> {
    stopping = true;
    pause.wake();
    await working;
    const grace = setTimeout(() => {
      for (const handover of underWay.keys()) handover.abort();
    }, STOP_GRACE_MS);
    await Promise.all(underWay.values());
    clearTimeout(grace);
  }

  const working = work();
  let stopped: Promise<void> | undefined;
  return { wake: pause.wake, stop: () => (stopped ??= stop()) };
}
