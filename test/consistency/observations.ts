import { setImmediate as nextTick } from "node:timers/promises";

/** What a verification returned, and when it took place, by a clock that all processes of a machine share. */
export interface Verification {
  /** Of the key. */
  readonly status: string;
  /** Of its tenant: `active` or `suspended`. */
  readonly tenantStatus: string;
  /** Of the token that stands for the key: `active` also if there is none. */
  readonly tokenStatus: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What decides about the verifications of a key that is accepted, and then refused. */
export interface Watched {
  /** When the last one began that accepted the key; `-Infinity` if none did. */
  readonly lastAcceptedMs: number;
  /** When the first one ended that did not; `Infinity` if all did. */
  readonly firstRefusedMs: number;
  readonly verifications: number;
}

export interface Watch {
  stop(): Promise<Watched>;
}

/** Loops of one process: while one of them waits for a slow read, the other does not. */
const LOOPS = 2;

/** Whether a caller with the key, or its token, is let in. */
function isAccepted({ status, tenantStatus, tokenStatus }: Verification): boolean {
  return status === "active" && tenantStatus === "active" && tokenStatus === "active";
}

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Verifies without a pause until it is stopped, and then once more. A failure ends it, and is thrown by `stop`. */
export function watch(verify: () => Promise<Verification>): Watch {
  let watched: Watched = { lastAcceptedMs: Number.NEGATIVE_INFINITY, firstRefusedMs: Infinity, verifications: 0 };
  let isStopped = false;

  async function observe(): Promise<void> {
    const verification = await verify();
    const { fromMs, toMs } = verification;
    watched = joined(watched, {
      lastAcceptedMs: isAccepted(verification) ? fromMs : Number.NEGATIVE_INFINITY,
      firstRefusedMs: isAccepted(verification) ? Infinity : toMs,
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
    lastAcceptedMs: Math.max(one.lastAcceptedMs, other.lastAcceptedMs),
    firstRefusedMs: Math.min(one.firstRefusedMs, other.firstRefusedMs),
    verifications: one.verifications + other.verifications,
  };
}
