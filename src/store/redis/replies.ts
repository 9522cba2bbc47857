import type { LimitDecision } from "../../domain/limits/decision.ts";
import { decisionOf } from "../../domain/limits/limiter.ts";
import { StoreUnavailable } from "../../domain/request-fault.ts";

/** The four integers by which a script tells a decision; null if there are none, since nothing was spent. */
export function parseDecision(reply: readonly unknown[]): LimitDecision | null {
  if (reply.length === 0) return null;
  const numbers = reply.map(Number);
  const [limit, remaining, resetMs, waitMs] = numbers;
  if (
    limit === undefined ||
    remaining === undefined ||
    resetMs === undefined ||
    waitMs === undefined ||
    !numbers.every(Number.isSafeInteger)
  ) {
    throw new Error("A script answered something else than four integers.");
  }
  return decisionOf({ limit, remaining, resetMs, waitMs });
}

/** Redis away, loading, full, read-only or refusing us is an outage. A fault of a script is a bug of ours. */
export function translate(err: unknown): never {
  const isBug =
    err instanceof Error &&
    err.name === "ReplyError" &&
    /^(ERR (?!The user executing the script can't)|WRONGTYPE )/.test(err.message);
  throw isBug ? err : new StoreUnavailable(err);
}
