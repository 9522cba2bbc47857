import { decisionOf, peekedOf } from "../../domain/limits/budget.ts";
import type { LimitDecision, PeekedLimit } from "../../domain/limits/decision.ts";
import type { Slice } from "../../domain/limits/limiter.ts";
import { sliceOf } from "../../domain/limits/slice.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";

/** Parses a decision: five integers in a script's reply, starting at index `start`. */
export function parseDecision(reply: readonly unknown[], start = 0): LimitDecision {
  const limit = safeInteger(reply[start]);
  const remaining = safeInteger(reply[start + 1]);
  const resetMs = safeInteger(reply[start + 2]);
  const waitMs = safeInteger(reply[start + 3]);
  const isOfUser = safeInteger(reply[start + 4]) === 1;
  return decisionOf({ limit, remaining, resetMs, waitMs, scope: isOfUser ? "user" : undefined });
}

/** Parses what a look shows: the same integers, of which the fourth is how many requests would be admitted at once. */
export function parsePeek(reply: readonly unknown[], start = 0): PeekedLimit {
  const limit = safeInteger(reply[start]);
  const remaining = safeInteger(reply[start + 1]);
  const resetMs = safeInteger(reply[start + 2]);
  return peekedOf({ limit, remaining, resetMs }, safeInteger(reply[start + 3]));
}

/** Parses a slice: the integers of a decision, how many requests it has, its life and the time, both in ms. */
export function parseSlice(reply: readonly unknown[]): Slice {
  const [granted, lifeMs, takenAtMs] = [safeInteger(reply[5]), safeInteger(reply[6]), safeInteger(reply[7])];
  return sliceOf({ granted, decision: parseDecision(reply), lifeMs, takenAtMs });
}

function safeInteger(word: unknown): number {
  const number = Number(word);
  if (!Number.isSafeInteger(number)) throw new Error("A script returned something else than integers.");
  return number;
}

/** How long to wait for a reply for which no request waits. */
const REPLY_MS = 1_000;

/**
 * Resolves with the reply of Redis, or rejects with `StoreUnavailable` without one within `timeoutMs`, default 1 s.
 *
 * If this process was busy for longer than that, a reply may have arrived that it has not read yet. So it reads the
 * sockets once more before it times out. Otherwise a busy moment of its own would look like an outage of Redis, and the
 * replica would admit more than a limit allows.
 */
export function withTimeout<T>(reply: Promise<T>, timeoutMs = REPLY_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new StoreUnavailable(new Error(`Redis did not answer within ${timeoutMs} ms`)));
    const timer = setTimeout(() => setImmediate(expire), timeoutMs);
    reply.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (err: unknown) => {
        clearTimeout(timer);
        reject(translate(err));
      },
    );
  });
}

/** For the `catch` of a command that the caller can do without: ignores an outage and rethrows everything else. */
export function ignoreOutage(err: unknown): undefined {
  if (!(err instanceof StoreUnavailable)) throw err;
}

/** Redis away, loading, full, read-only or refusing access is an outage. An error in a script is our own bug. */
function translate(err: unknown): unknown {
  const isBug =
    err instanceof Error &&
    err.name === "ReplyError" &&
    /^(ERR (?!The user executing the script can't)|WRONGTYPE )/.test(err.message);
  return isBug ? err : new StoreUnavailable(err);
}
