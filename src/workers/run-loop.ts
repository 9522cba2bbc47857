import { randomUUID } from "node:crypto";
import { performRun, type RunContext } from "./run-attempt.ts";
import { createWakeablePause } from "./wakeable-pause.ts";

/** Time for runs under way after the process receives its stop signal. Then they are handed over. */
const STOP_GRACE_MS = 5_000;

export interface RunLoopContext extends RunContext {
  /** Maximum number of runs of this process at once. */
  readonly runsAtOnce: number;
  /** How often to poll for work without an announcement: lost announcements, expired leases, retries. */
  readonly pollMs: number;
}

export interface RunLoop {
  /** Polls now. */
  wake(): void;
  /** Claims no more runs. Runs under way may end within 5 s, then they are handed over. Idempotent. */
  stop(): Promise<void>;
}

/** The worker: claims due runs up to a limit, then pauses until there is more work or capacity. */
export function startRunLoop(ctx: RunLoopContext): RunLoop {
  const pause = createWakeablePause();
  const underWay = new Map<AbortController, Promise<void>>();
  let stopping = false;

  async function work(): Promise<void> {
    while (!stopping) {
      // The pause begins before the poll, so that a wake during the poll is not lost.
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
