import type { Caps } from "./caps.ts";
import { type LimitDecision, type LimitState, type PeekedLimit, UNLIMITED_REQUESTS } from "./decision.ts";

/** What a request spends from: the budget of its key, or of its user under that key. */
export interface Budget {
  /** `undefined`: the budget is new or idle. */
  readonly state: LimiterState | undefined;
  readonly limit: Caps;
  readonly scope?: LimitState["scope"];
  /** Whether two keys, whose limits may differ, spend from it. */
  readonly isShared?: boolean | undefined;
}

/**
 * The state of a budget. All values are integers; Redis keeps the same ones (`store/redis/take.lua.ts`), and the two
 * implementations must stay equal step by step: `test/limits` drives both.
 */
export interface LimiterState {
  /** When this was true, in ms since the epoch. */
  readonly atMs: number;
  readonly minute: Window;
  readonly hour: Window;
  /** The rest of the token bucket, in parts of a token (see `TOKEN`), never more than `capacity` tokens. */
  readonly level: number;
  /** The bucket's size in tokens when this was written: a larger one is filled up by the difference. */
  readonly capacity: number;
}

/** A window of fixed length that opens at a request and not at a full minute or hour. A count of 0 is not open. */
export interface Window {
  readonly startMs: number;
  readonly count: number;
}

/**
 * The part of a budget that a caller sees, and how long it denies. `limit`, `remaining` and `resetMs` are those of a window: of the
 * minute and the hour the one with fewer requests remaining, of two equal the hour; never the bucket's, because its size is
 * not a number of requests in a period. `waitMs` is the time until windows and bucket admit the request, 0 if they do now, and
 * `NEVER_MS` if they never do. Everything that a caller sees is computed from these four integers, so that both
 * implementations round alike.
 */
export interface Standing {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
  readonly waitMs: number;
  readonly scope?: LimitState["scope"];
}

/** The wait for a request that costs more than the limit. Longer than any other. */
export const NEVER_MS = Number.MAX_SAFE_INTEGER;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/**
 * Parts of a token: with 3,600,000 a refill per ms is an integer for hourly rates (rph) and per-minute rates (60 rpm)
 * alike. Fractions would drift apart between Lua and JavaScript, and a retry after the promised wait could still be a
 * hair short. The largest bucket, 2^31-1 tokens, is 7.7e15 parts, below 2^53.
 */
export const TOKEN = 3_600_000;

const CLOSED: Window = { startMs: 0, count: 0 };

/** A budget without state. Its bucket is full, because growing from no capacity fills it. */
const UNUSED: LimiterState = { atMs: 0, minute: CLOSED, hour: CLOSED, level: 0, capacity: 0 };

/**
 * Spends a request from all of its budgets, or denies it and spends from none. A request counts as `cost` requests.
 *
 * - Minute and hour are hard caps on windows that open at the first request admitted after the previous one ended. A
 *   window without a cap is not counted, so a cap added later begins with the next request.
 * - The token bucket starts full, holds `burstSize` (0: as many as the cap) and refills at the per-minute rate, or the
 *   hourly one where only that is set. It holds across windows: no double burst where one ends and the next begins.
 * - Changed limits act at once on what is already counted. A larger bucket is filled up by the difference, a smaller
 *   one is clipped, and time since the last request counts at the new rate. The bucket of a shared budget with a
 *   `burstSize` is not filled up: two keys with different limits would fill it by taking turns. One without is as large
 *   as its cap, so that the windows bound what it admits.
 * - A clock that steps back counts as no time passed: windows and bucket move with it, nothing is lost or granted.
 *   A step forward is indistinguishable from waiting.
 *
 * `nowMs` is an integer; the numbers of a limit are integers from 0 to 2^31-1; `cost` is one from 1 to 1,000. The states
 * are in the order of the budgets; that of a budget without a limit stays as it is.
 */
export function take(
  budgets: readonly Budget[],
  cost: number,
  nowMs: number,
): { decision: LimitDecision; states: readonly (LimiterState | undefined)[] } {
  const before = budgets.map((budget) => advanced(budget, nowMs));
  const obstacle = slowest(before, cost, nowMs);
  if (obstacle.waitMs > 0) return { decision: decisionOf(denied(obstacle, nowMs)), states: before.map(stateOf) };

  const after = before.map((budget) => spent(budget, cost));
  // The decision uses the budgets before spending (it is admitted); the reported numbers are those after it.
  return { decision: decisionOf(fewest(after, nowMs)), states: after.map(stateOf) };
}

/** Reports budgets without spending: for requests that are refused before the limiter. */
export function peek(budgets: readonly Budget[], nowMs: number): PeekedLimit {
  const seen = budgets.map((budget) => advanced(budget, nowMs));
  const atOnce = Math.min(...seen.map(atOnceOf));
  return peekedOf(fewest(seen, nowMs), atOnce);
}

/** When the state of a limited budget may be evicted: its windows have ended and its bucket is full. */
export function idleAtMs(state: LimiterState, limit: Caps): number {
  return Math.max(
    state.minute.count > 0 ? state.minute.startMs + MINUTE_MS : state.atMs,
    state.hour.count > 0 ? state.hour.startMs + HOUR_MS : state.atMs,
    bucketFullMs(state, limit),
  );
}

export function isUnlimited(limit: Caps): boolean {
  return limit.requestsPerMinute === 0 && limit.requestsPerHour === 0;
}

/** Maximum number of requests that a limit ever admits at once. One that costs more is never admitted. */
export function mostAtOnce(limit: Caps): number {
  if (isUnlimited(limit)) return UNLIMITED_REQUESTS;
  const { requestsPerMinute, requestsPerHour } = limit;
  return Math.min(requestsPerMinute || UNLIMITED_REQUESTS, requestsPerHour || UNLIMITED_REQUESTS, capacityOf(limit));
}

/** What a caller sees. Seconds are rounded up: a caller that waits that long is admitted. */
export function decisionOf(standing: Standing): LimitDecision {
  const { limit, remaining, resetMs, scope, waitMs } = standing;
  const resetAt = wholeSecond(resetMs);
  if (waitMs === 0) return { kind: "allow", limit, remaining, resetAt, scope };
  const retryAfterSeconds = waitMs === NEVER_MS ? undefined : Math.ceil(waitMs / 1_000);
  return { kind: "deny", retryAfterSeconds, limit, remaining, resetAt, scope };
}

let unlimitedOfSecond: LimitDecision = decisionOf(unlimited(0));

/** The decision on a request without any limit. It is the same one for a whole second. */
export function unlimitedDecision(nowMs: number): LimitDecision {
  const resetMs = Math.ceil(nowMs / 1_000) * 1_000;
  if (unlimitedOfSecond.resetAt.getTime() !== resetMs) unlimitedOfSecond = decisionOf(unlimited(nowMs));
  return unlimitedOfSecond;
}

/** Reported when the budget is unknown: nothing is left. */
export function exhausted(now: Date): LimitState {
  return { limit: 0, remaining: 0, resetAt: wholeSecond(now.getTime()) };
}

/** Reported when a call must wait for something else than its budget: until then nothing of the budget helps. */
export function waiting({ limit, resetAt, scope }: LimitState, now: Date, retryAfterSeconds: number) {
  const soonest = wholeSecond(now.getTime() + retryAfterSeconds * 1_000);
  return { limit, remaining: 0, resetAt: resetAt > soonest ? resetAt : soonest, scope, retryAfterSeconds };
}

export function peekedOf({ limit, remaining, resetMs }: Omit<Standing, "waitMs">, atOnce: number): PeekedLimit {
  return { limit, remaining, resetAt: wholeSecond(resetMs), atOnce };
}

/** `resetAt` is a whole second, so that `reset_at` and `X-RateLimit-Reset` are the same instant. */
function wholeSecond(ms: number): Date {
  return new Date(Math.ceil(ms / 1_000) * 1_000);
}

function unlimited(nowMs: number): Standing {
  return { limit: UNLIMITED_REQUESTS, remaining: UNLIMITED_REQUESTS, resetMs: nowMs, waitMs: 0 };
}

function stateOf({ state }: Budget): LimiterState | undefined {
  return state;
}

/** The budget as of `nowMs`, under the limits of now: ended windows closed, bucket refilled. */
export function advanced(budget: Budget, nowMs: number): Budget {
  const { state = UNUSED, limit, isShared } = budget;
  if (isUnlimited(limit)) return budget;
  const backMs = Math.max(0, state.atMs - nowMs);
  const elapsedMs = Math.max(0, nowMs - state.atMs);
  const capacity = capacityOf(limit);
  const isFilledUp = !isShared || limit.burstSize === 0 || state.capacity === 0;
  const grown = isFilledUp ? Math.max(0, capacity - state.capacity) * TOKEN : 0;
  return {
    ...budget,
    state: {
      atMs: nowMs,
      minute: roll(state.minute, MINUTE_MS, nowMs, backMs),
      hour: roll(state.hour, HOUR_MS, nowMs, backMs),
      // A product above 2^53 is inexact, but then also above the capacity and cut off.
      level: Math.min(capacity * TOKEN, state.level + grown + elapsedMs * refillPerMs(limit)),
      capacity,
    },
  };
}

function roll(window: Window, lengthMs: number, nowMs: number, backMs: number): Window {
  const startMs = window.startMs - backMs;
  return window.count === 0 || nowMs - startMs >= lengthMs ? CLOSED : { startMs, count: window.count };
}

function spent(budget: Budget, cost: number): Budget {
  const { state, limit } = budget;
  if (state === undefined || isUnlimited(limit)) return budget;
  return {
    ...budget,
    state: {
      ...state,
      minute: limit.requestsPerMinute > 0 ? counted(state.minute, cost, state.atMs) : state.minute,
      hour: limit.requestsPerHour > 0 ? counted(state.hour, cost, state.atMs) : state.hour,
      level: state.level - cost * TOKEN,
    },
  };
}

function counted(window: Window, cost: number, nowMs: number): Window {
  return { startMs: window.count === 0 ? nowMs : window.startMs, count: window.count + cost };
}

/** The budget that denies for longest; of two that do as long, the key's. Unlimited if there is no limited one. */
function slowest(budgets: readonly Budget[], cost: number, nowMs: number): Standing {
  let worst: Standing | undefined;
  for (const budget of budgets) {
    const standing = standingOf(budget, cost);
    if (standing !== undefined && (worst === undefined || standing.waitMs > worst.waitMs)) worst = standing;
  }
  return worst ?? unlimited(nowMs);
}

/** The budget with the fewest requests remaining; of two, the one that resets later, else the key's. */
function fewest(budgets: readonly Budget[], nowMs: number): Standing {
  let least: Standing | undefined;
  for (const budget of budgets) {
    const standing = standingOf(budget, 0);
    if (standing !== undefined && (least === undefined || isFewer(standing, least))) least = standing;
  }
  return least ?? unlimited(nowMs);
}

function isFewer(one: Standing, other: Standing): boolean {
  return one.remaining < other.remaining || (one.remaining === other.remaining && one.resetMs > other.resetMs);
}

/**
 * What a denied caller sees: nothing is left, and the window resets no sooner than a retry is admitted. Without that, a
 * window that is not open, or ends before the bucket admits again, would send callers back too soon.
 */
function denied(standing: Standing, nowMs: number): Standing {
  const { resetMs, waitMs } = standing;
  return { ...standing, remaining: 0, resetMs: waitMs === NEVER_MS ? resetMs : Math.max(resetMs, nowMs + waitMs) };
}

/** Undefined: the budget has no limit. With a cost of 0 nothing is waited for. */
function standingOf({ state, limit, scope }: Budget, cost: number): Standing | undefined {
  if (state === undefined || isUnlimited(limit)) return undefined;
  const { requestsPerMinute: rpm, requestsPerHour: rph } = limit;
  const { atMs, minute, hour } = state;
  const inMinute = rpm > 0 ? Math.max(0, rpm - minute.count) : Number.POSITIVE_INFINITY;
  const inHour = rph > 0 ? Math.max(0, rph - hour.count) : Number.POSITIVE_INFINITY;
  const waitMs = Math.max(
    rpm > 0 ? windowWaitMs(minute, MINUTE_MS, rpm, cost, atMs) : 0,
    rph > 0 ? windowWaitMs(hour, HOUR_MS, rph, cost, atMs) : 0,
    bucketWaitMs(state, limit, cost),
  );
  return inHour <= inMinute
    ? { limit: rph, remaining: inHour, resetMs: windowEndMs(hour, HOUR_MS, atMs), waitMs, scope }
    : { limit: rpm, remaining: inMinute, resetMs: windowEndMs(minute, MINUTE_MS, atMs), waitMs, scope };
}

/** A window that is not open resets now. */
function windowEndMs(window: Window, lengthMs: number, nowMs: number): number {
  return window.count === 0 ? nowMs : window.startMs + lengthMs;
}

function windowWaitMs(window: Window, lengthMs: number, cap: number, cost: number, nowMs: number): number {
  if (cost > cap) return NEVER_MS;
  return Math.max(0, cap - window.count) >= cost ? 0 : windowEndMs(window, lengthMs, nowMs) - nowMs;
}

function bucketWaitMs(state: LimiterState, limit: Caps, cost: number): number {
  if (cost > state.capacity) return NEVER_MS;
  return Math.ceil(Math.max(0, cost * TOKEN - state.level) / refillPerMs(limit));
}

/** How many requests the windows and the bucket admit at once now. */
function atOnceOf(budget: Budget): number {
  const { state } = budget;
  const standing = standingOf(budget, 0);
  if (state === undefined || standing === undefined) return UNLIMITED_REQUESTS;
  return Math.min(standing.remaining, Math.floor(state.level / TOKEN));
}

function bucketFullMs(state: LimiterState, limit: Caps): number {
  return state.atMs + Math.ceil((state.capacity * TOKEN - state.level) / refillPerMs(limit));
}

function capacityOf(limit: Caps): number {
  return limit.burstSize || limit.requestsPerMinute || limit.requestsPerHour;
}

/** In parts of a token. */
function refillPerMs(limit: Caps): number {
  return limit.requestsPerMinute > 0 ? limit.requestsPerMinute * (TOKEN / MINUTE_MS) : limit.requestsPerHour;
}
