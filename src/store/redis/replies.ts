import type { LimitDecision } from "../../domain/limits/decision.ts";
import { decisionOf } from "../../domain/limits/limiter.ts";
import { StoreUnavailable } from "../../domain/store-unavailable.ts";

/** The four integers by which a script tells a decision, from `start` on in what it answered. */
export function parseDecision(reply: readonly unknown[], start = 0): LimitDecision {
  const limit = safeInteger(reply[start]);
  const remaining = safeInteger(reply[start + 1]);
  const resetMs = safeInteger(reply[start + 2]);
  const waitMs = safeInteger(reply[start + 3]);
  return decisionOf({ limit, remaining, resetMs, waitMs });
}

function safeInteger(word: unknown): number {
  const number = Number(word);
  if (!Number.isSafeInteger(number)) throw new Error("A script answered something else than four integers.");
  return number;
}

/** How long an answer of Redis is waited for. */
const ANSWER_MS = 1_000;

/**
 * An answer of Redis, or `StoreUnavailable` if there is none in time.
 *
 * A process that was busy for longer than that has not been able to read an answer that came long ago: the sockets are
 * read once more before it gives up. It would otherwise take a busy moment of its own for an outage of Redis, and admit
 * more than a limit allows.
 */
export function withTimeout<T>(reply: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new StoreUnavailable(new Error(`Redis did not answer within ${ANSWER_MS} ms`)));
    const timer = setTimeout(() => setImmediate(expire), ANSWER_MS);
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

/** For the `catch` of what can be done without Redis: passes over an outage, and nothing else. */
export function ignoreOutage(err: unknown): undefined {
  if (!(err instanceof StoreUnavailable)) throw err;
}

/** Redis away, loading, full, read-only or refusing us is an outage. A fault of a script is a bug of ours. */
function translate(err: unknown): unknown {
  const isBug =
    err instanceof Error &&
    err.name === "ReplyError" &&
    /^(ERR (?!The user executing the script can't)|WRONGTYPE )/.test(err.message);
  return isBug ? err : new StoreUnavailable(err);
}
