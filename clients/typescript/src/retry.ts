import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { isDenial } from "./denial.ts";
import { namesOf } from "./known-options.ts";
import { isRepeatable } from "./repeatable.ts";
import { retryAfterMs } from "./retry-after.ts";
import { TIMER_MS_MAX } from "./timeout.ts";

/** How calls that fail for a passing reason are made again. */
export interface RetryOptions {
  /** Maximum number of attempts at one call, the first one included; 1 never repeats. Default: 3. Each has one more, in itself, for an expired token. */
  readonly attemptsMax?: number | undefined;
  /** Longest pause between two attempts, in ms. A `Retry-After` beyond it is thrown at once. Default: 30,000. */
  readonly pauseMsMax?: number | undefined;
  /** Waits so many ms, or less if the signal aborts. Default: a timer. */
  readonly sleep?: Sleep | undefined;
  /** The time, in ms since 1970, for a `Retry-After` that is a date. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** From 0 up to 1, to spread the attempts of many clients. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export const RETRY_OPTIONS = namesOf<RetryOptions>({
  attemptsMax: true,
  pauseMsMax: true,
  sleep: true,
  now: true,
  random: true,
});
const ATTEMPTS_MAX = 3;
const PAUSE_MS_MAX = 30_000;
const BACKOFF_MS = 250;
const BACKOFF_MS_MAX = 8_000;

/**
 * Makes a call again that was turned away for a passing reason:
 *
 * - `rate_limited`, any call, after `Retry-After`: the limit is taken before anything is done. Without it the call's cost is above
 *   the limit, and no retry is admitted;
 * - the service unreachable or unavailable, or `verifier_error`, after `Retry-After` where it is sent: reads, and messages
 *   that carry a `client_message_id`, and other calls with an id of the caller's, as all have that make a secret
 *   (`nameCalls`). Such a call makes one key, whose value may be lost with an answer.
 *   A 429 that is a proxy's, without a denial, is such an answer, too: Connect says "unavailable" of it.
 *
 * The pause ends with the call's signal and its timeout. The last error is thrown as it came.
 */
export function retryCalls(options: RetryOptions = {}): Interceptor {
  const { attemptsMax = ATTEMPTS_MAX, sleep = sleepByTimer } = options;
  return (next) => async (req) => {
    if (req.stream) return next(req);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await next({ ...req, header: headersOfAttempt(req.header) });
      } catch (err) {
        const passes = isDenial(err, "rate_limited") || (isPassing(err) && isRepeatable(req.method, req.message));
        const pauseMs = attempt < attemptsMax && passes ? pauseBefore(err, attempt, options) : undefined;
        if (pauseMs === undefined) throw err;
        // Where the signal ended the pause, the next attempt fails by it and sends nothing.
        await sleep(pauseMs, req.signal);
      }
    }
  };
}

/**
 * The headers of each attempt are its own: the user's token may have changed. The timeout is not sent, since it is that of
 * all attempts together; the service notices that a caller disconnected.
 */
function headersOfAttempt(header: Headers): Headers {
  const own = new Headers(header);
  own.delete("Connect-Timeout-Ms");
  return own;
}

/** Waits so many ms; ends early, without an error, when the signal aborts. */
export const sleepByTimer: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });

/** The service, or what it needs, is away. */
export function isPassing(err: unknown): boolean {
  return isDenial(err, "verifier_error") || (err instanceof ConnectError && err.code === Code.Unavailable);
}

/** Ms to wait; undefined where the service asks for more than the caller would wait, or would never admit the call. */
function pauseBefore(err: unknown, attempt: number, options: RetryOptions): number | undefined {
  const { pauseMsMax = PAUSE_MS_MAX, now = Date.now, random = Math.random } = options;
  const asked = err instanceof ConnectError ? retryAfterMs(err.metadata.get("Retry-After"), now) : undefined;
  if (asked !== undefined) return asked <= Math.min(pauseMsMax, TIMER_MS_MAX) ? asked : undefined;
  if (isDenial(err, "rate_limited")) return undefined;
  const ceiling = Math.min(BACKOFF_MS * 2 ** (attempt - 1), BACKOFF_MS_MAX, pauseMsMax);
  return Math.round(ceiling * (1 + random()) * 0.5);
}
