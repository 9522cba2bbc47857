import { ConnectError } from "@connectrpc/connect";
import { isDenial } from "../../clients/typescript/src/denial.ts";
import { sleepByTimer } from "../../clients/typescript/src/retry.ts";
import { retryAfterMs } from "../../clients/typescript/src/retry-after.ts";
import { isForLater } from "./exit-status.ts";

/** A deployment or a failover takes seconds, and a run of a million rows should outlast both. */
const OUTAGE_MS_MAX = 300_000;
const PAUSE_MS = 500;
const PAUSE_MS_MAX = 8_000;

/**
 * Makes a call that may be made twice, and makes it again while the service is away or asks to wait: after `Retry-After`, else
 * after pauses that grow to 8 s. Throws the last error after 5 minutes, or when the signal aborts.
 */
export async function repeated<Result>(call: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  const endsAt = performance.now() + OUTAGE_MS_MAX;
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (err) {
      const pauseMs = isForLater(err) ? pauseAfter(err, attempt) : Number.POSITIVE_INFINITY;
      if (signal.aborted || performance.now() + pauseMs > endsAt) throw err;
      await sleepByTimer(pauseMs, signal);
    }
  }
}

function pauseAfter(err: unknown, attempt: number): number {
  const asked = err instanceof ConnectError ? retryAfterMs(err.metadata.get("Retry-After"), Date.now) : undefined;
  if (asked !== undefined) return asked;
  // Without it the call costs more than the limit ever admits.
  if (isDenial(err, "rate_limited")) return Number.POSITIVE_INFINITY;
  return Math.min(PAUSE_MS * 2 ** attempt, PAUSE_MS_MAX) * (1 + Math.random()) * 0.5;
}
