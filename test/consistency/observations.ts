import { setImmediate as nextTick } from "node:timers/promises";

/** What a verification returned, and when it took place, by a clock that all processes of a machine share. */
export interface Verification {
  readonly status: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What decides about the verifications of a key that is active and then revoked. */
export interface Watched {
  /** When the last one began that found the key active; `-Infinity` if none did. */
  readonly lastActiveMs: number;
  /** When the first one ended that did not; `Infinity` if all did. */
  readonly firstRevokedMs: number;
  readonly verifications: number;
}

export interface Watch {
  stop(): Promise<Watched>;
}

/** Loops of one process: while one of them waits for a slow read, the other does not. */
const LOOPS = 2;

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Verifies without a pause until it is stopped, and then once more. A failure ends it, and is thrown by `stop`. */
export function watch(verify: () => Promise<Verification>): Watch {
  let watched: Watched = { lastActiveMs: Number.NEGATIVE_INFINITY, firstRevokedMs: Infinity, verifications: 0 };
  let isStopped = false;

  async function observe(): Promise<void> {
    const { status, fromMs, toMs } = await verify();
    watched = joined(watched, {
      lastActiveMs: status === "active" ? fromMs : Number.NEGATIVE_INFINITY,
      firstRevokedMs: status === "active" ? Infinity : toMs,
      verifications: 1,
    });
  }

  const loops = Promise.all(
    Array.from({ length: LOOPS }, async () => {
      while (!isStopped) {
        await observe();
        await nextTick();
      }
    }),
  );
  loops.catch(() => undefined);
  return {
    async stop() {
      isStopped = true;
      await loops;
      await observe();
      return watched;
    },
  };
}

export function joined(one: Watched, other: Watched): Watched {
  return {
    lastActiveMs: Math.max(one.lastActiveMs, other.lastActiveMs),
    firstRevokedMs: Math.min(one.firstRevokedMs, other.firstRevokedMs),
    verifications: one.verifications + other.verifications,
  };
}
