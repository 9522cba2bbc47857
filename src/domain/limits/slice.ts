import {
  advanced,
  type Budget,
  HOUR_MS,
  isUnlimited,
  type LimiterState,
  MINUTE_MS,
  NEVER_MS,
  peek,
  TOKEN,
  take,
  unlimitedDecision,
  type Window,
} from "./budget.ts";
import type { Caps } from "./caps.ts";
import type { LimitDecision } from "./decision.ts";
import { type GivenBack, NEVER_GIVEN_BACK, type Slice } from "./limiter.ts";

/**
 * A slice is at most this part of what would be admitted at once: a tenth. So slices shrink as the budget does, to single
 * requests at its end, and the first process that asks leaves something for the others.
 */
export const SLICE_DIVISOR = 10;

/**
 * Takes a slice of a key's budget: at most `most` requests, at least one unless none would be admitted now.
 *
 * Windows and bucket count the whole slice at once, as if its requests had been admitted now. So over all processes no window
 * admits more than its cap, as long as each spends its slices within `lifeMs`; a process that ends loses what it has. The
 * bucket bounds how fast slices are taken, and not how fast they are spent.
 *
 * `store/limits/slice.lua.ts` has the same rules; `test/limits/slices.test.ts` drives both.
 */
export function takeSlice(
  budget: Budget,
  most: number,
  nowMs: number,
): { slice: Slice; state: LimiterState | undefined } {
  const { limit } = budget;
  if (isUnlimited(limit)) {
    const decision = unlimitedDecision(nowMs);
    return {
      slice: sliceOf({ granted: most, decision, lifeMs: NEVER_MS, takenAtMs: NEVER_GIVEN_BACK }),
      state: budget.state,
    };
  }
  const { atOnce } = peek([budget], nowMs);
  const granted = Math.min(most, atOnce, Math.max(1, Math.floor(atOnce / SLICE_DIVISOR)));
  // A budget that admits none denies the request of cost 1, and stays as it is.
  const { decision, states } = take([budget], Math.max(1, granted), nowMs);
  const [state] = states;
  const lifeMs = granted === 0 || state === undefined ? 0 : shortestWindowMs(state, limit);
  return { slice: sliceOf({ granted, decision, lifeMs, takenAtMs: nowMs }), state };
}

/**
 * Gives back what was not spent of a slice: to the windows that counted it and are still open, and to the bucket up to its
 * capacity. The state of a budget that has none stays undefined: it is full.
 *
 * - A window that is not capped now gets nothing back, since it may not have counted the slice.
 * - A slice of a later instant than now gets nothing back: the clock has stepped back, and which window counted it is not known.
 */
export function giveBack(budget: Budget, { unspent, takenAtMs }: GivenBack, nowMs: number): LimiterState | undefined {
  const { state, limit } = advanced(budget, nowMs);
  if (budget.state === undefined || state === undefined || isUnlimited(limit)) return budget.state;
  if (takenAtMs === NEVER_GIVEN_BACK || takenAtMs > nowMs) return budget.state;
  return {
    ...state,
    minute: limit.requestsPerMinute > 0 ? uncounted(state.minute, unspent, takenAtMs) : state.minute,
    hour: limit.requestsPerHour > 0 ? uncounted(state.hour, unspent, takenAtMs) : state.hour,
    level: Math.min(state.capacity * TOKEN, state.level + unspent * TOKEN),
  };
}

/** A slice of these numbers, of which a life of `NEVER_MS` has no end. */
export function sliceOf(slice: {
  readonly granted: number;
  readonly decision: LimitDecision;
  readonly lifeMs: number;
  readonly takenAtMs: number;
}): Slice {
  return slice.lifeMs === NEVER_MS ? { ...slice, lifeMs: Number.POSITIVE_INFINITY } : slice;
}

/** How long the first of the windows that have just counted a request stays open. */
function shortestWindowMs({ atMs, minute, hour }: LimiterState, limit: Caps): number {
  return Math.min(
    limit.requestsPerMinute > 0 ? minute.startMs + MINUTE_MS - atMs : NEVER_MS,
    limit.requestsPerHour > 0 ? hour.startMs + HOUR_MS - atMs : NEVER_MS,
  );
}

/** A window that opened after the slice was taken is a later one. One that counts nothing any more is not open. */
function uncounted({ startMs, count }: Window, unspent: number, takenAtMs: number): Window {
  return { startMs, count: startMs > takenAtMs ? count : Math.max(0, count - unspent) };
}
