import type { RateLimit } from "../keys/key.ts";
import { type LimitDecision, type LimitState, UNLIMITED_REQUESTS } from "./decision.ts";

/**
 * What a key has spent. All values are integers; Redis keeps the same ones (`store/redis/take.lua.ts`), and the two
 * implementations must stay equal step by step: `test/limits` drives both.
 */
export interface LimiterState {
  /** When this was true, in ms since the epoch. */
  readonly atMs: number;
  readonly minute: Window;
  readonly hour: Window;
  /** What is left in the token bucket, in parts of a token (see `TOKEN`), never more than `capacity` tokens. */
  readonly level: number;
  /** The bucket's size in tokens when this was written: a larger one is filled up by the difference. */
  readonly capacity: number;
}

/** A window of fixed length that opens at a request and not at a full minute or hour. A count of 0 is not open. */
interface Window {
  readonly startMs: number;
  readonly count: number;
}

/**
 * The state of one of a key's constraints. `waitMs` is the time until it admits a request, 0 if it does now. Everything
 * that a caller sees is computed from these four integers, so that both implementations round alike.
 */
export interface Constraint {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
  readonly waitMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * Parts of a token: with 3,600,000 a refill per ms is an integer for hourly rates (rph) and per-minute rates (60 rpm)
 * alike. Fractions would drift apart between Lua and JavaScript, and a retry after the promised wait could still be a
 * hair short. The largest bucket, 2^31-1 tokens, is 7.7e15 parts, below 2^53.
 */
const TOKEN = 3_600_000;

const CLOSED: Window = { startMs: 0, count: 0 };

/** A key without state. Its bucket is full, because growing from no capacity fills it. */
const UNUSED: LimiterState = { atMs: 0, minute: CLOSED, hour: CLOSED, level: 0, capacity: 0 };

/**
 * Spends one request from a key's budget, or denies it and spends nothing. `undefined`: the key is new or idle.
 *
 * - Minute and hour are hard caps on windows that open at the first request admitted after the previous one ended. A
 *   window without a cap is not counted, so a cap added later begins with the next request.
 * - The token bucket starts full, holds `burstSize` (0: as many as the cap) and refills at the per-minute rate, or the
 *   hourly one where only that is set. It holds across windows: no double burst where one ends and the next begins.
 * - Changed limits act at once on what is already counted. A larger bucket is filled up by the difference, a smaller
 *   one is clipped, and time since the last request counts at the new rate.
 * - A clock that steps back counts as no time passed: windows and bucket move with it, nothing is lost or granted.
 *   A step forward is indistinguishable from waiting.
 *
 * `nowMs` is an integer; the numbers of `limit` are integers from 0 to 2^31-1.
 */
export function take(
  state: LimiterState | undefined,
  limit: RateLimit,
  nowMs: number,
): { decision: LimitDecision; state: LimiterState } {
  if (isUnlimited(limit)) return { decision: decisionOf(unlimited(nowMs)), state: state ?? UNUSED };

  const before = advance(state ?? UNUSED, limit, nowMs);
  const obstacle = tightest(constraints(before, limit));
  if (obstacle.waitMs > 0) return { decision: decisionOf(obstacle), state: before };

  const after = spend(before, limit);
  // The decision uses the budget before spending (it is admitted); the reported numbers are those after it.
  return { decision: decisionOf({ ...fewest(constraints(after, limit)), waitMs: 0 }), state: after };
}

/** Reports a key's budget without spending: for requests that are refused before the limiter. */
export function peek(state: LimiterState | undefined, limit: RateLimit, nowMs: number): LimitState {
  if (isUnlimited(limit)) return limitStateOf(unlimited(nowMs));
  return limitStateOf(tightest(constraints(advance(state ?? UNUSED, limit, nowMs), limit)));
}

/** When the state may be evicted: its windows have ended and its bucket is full. */
export function idleAtMs(state: LimiterState, limit: RateLimit): number {
  return Math.max(
    state.minute.count > 0 ? state.minute.startMs + MINUTE_MS : state.atMs,
    state.hour.count > 0 ? state.hour.startMs + HOUR_MS : state.atMs,
    isUnlimited(limit) ? state.atMs : bucketFullMs(state, limit),
  );
}

export function isUnlimited(limit: RateLimit): boolean {
  return limit.requestsPerMinute === 0 && limit.requestsPerHour === 0;
}

/** What a caller sees. Seconds are rounded up: a caller that waits that long is admitted. */
export function decisionOf(constraint: Constraint): LimitDecision {
  const { limit, remaining, resetAt } = limitStateOf(constraint);
  if (constraint.waitMs === 0) return { kind: "allow", limit, remaining, resetAt };
  return { kind: "deny", retryAfterSeconds: Math.ceil(constraint.waitMs / 1_000), limit, remaining, resetAt };
}

/** Reported when the budget is unknown: nothing is left. */
export function exhausted(now: Date): LimitState {
  return { limit: 0, remaining: 0, resetAt: wholeSecond(now.getTime()) };
}

function limitStateOf({ limit, remaining, resetMs }: Constraint): LimitState {
  return { limit, remaining, resetAt: wholeSecond(resetMs) };
}

/** `resetAt` is a whole second, so that `reset_at` and `X-RateLimit-Reset` are the same instant. */
function wholeSecond(ms: number): Date {
  return new Date(Math.ceil(ms / 1_000) * 1_000);
}

function unlimited(nowMs: number): Constraint {
  return { limit: UNLIMITED_REQUESTS, remaining: UNLIMITED_REQUESTS, resetMs: nowMs, waitMs: 0 };
}

/** The state as of `nowMs`, under the limits of now: ended windows closed, bucket refilled. */
function advance(state: LimiterState, limit: RateLimit, nowMs: number): LimiterState {
  const backMs = Math.max(0, state.atMs - nowMs);
  const elapsedMs = Math.max(0, nowMs - state.atMs);
  const capacity = capacityOf(limit);
  const grown = Math.max(0, capacity - state.capacity) * TOKEN;
  return {
    atMs: nowMs,
    minute: roll(state.minute, MINUTE_MS, nowMs, backMs),
    hour: roll(state.hour, HOUR_MS, nowMs, backMs),
    // A product above 2^53 is inexact, but then also above the capacity and cut off.
    level: Math.min(capacity * TOKEN, state.level + grown + elapsedMs * refillPerMs(limit)),
    capacity,
  };
}

function roll(window: Window, lengthMs: number, nowMs: number, backMs: number): Window {
  const startMs = window.startMs - backMs;
  return window.count === 0 || nowMs - startMs >= lengthMs ? CLOSED : { startMs, count: window.count };
}

function spend(state: LimiterState, limit: RateLimit): LimiterState {
  return {
    ...state,
    minute: limit.requestsPerMinute > 0 ? counted(state.minute, state.atMs) : state.minute,
    hour: limit.requestsPerHour > 0 ? counted(state.hour, state.atMs) : state.hour,
    level: state.level - TOKEN,
  };
}

function counted(window: Window, nowMs: number): Window {
  return { startMs: window.count === 0 ? nowMs : window.startMs, count: window.count + 1 };
}

/** The constraints that are set, always in this order: of two that are equally tight, the earlier one is reported. */
function constraints(state: LimiterState, limit: RateLimit): readonly [Constraint, ...Constraint[]] {
  const { requestsPerMinute: rpm, requestsPerHour: rph } = limit;
  const bucket = bucketConstraint(state, limit);
  if (rph === 0) return [windowConstraint(state.minute, MINUTE_MS, rpm, state.atMs), bucket];
  const hour = windowConstraint(state.hour, HOUR_MS, rph, state.atMs);
  return rpm === 0 ? [hour, bucket] : [windowConstraint(state.minute, MINUTE_MS, rpm, state.atMs), hour, bucket];
}

function windowConstraint(window: Window, lengthMs: number, cap: number, nowMs: number): Constraint {
  const resetMs = window.count === 0 ? nowMs : window.startMs + lengthMs;
  const remaining = Math.max(0, cap - window.count);
  return { limit: cap, remaining, resetMs, waitMs: remaining > 0 ? 0 : resetMs - nowMs };
}

function bucketConstraint(state: LimiterState, limit: RateLimit): Constraint {
  return {
    limit: state.capacity,
    remaining: Math.floor(state.level / TOKEN),
    resetMs: bucketFullMs(state, limit),
    waitMs: Math.ceil(Math.max(0, TOKEN - state.level) / refillPerMs(limit)),
  };
}

function bucketFullMs(state: LimiterState, limit: RateLimit): number {
  return state.atMs + Math.ceil((state.capacity * TOKEN - state.level) / refillPerMs(limit));
}

/** The constraint that denies for longest, else the one with the fewest requests remaining. */
function tightest(all: readonly [Constraint, ...Constraint[]]): Constraint {
  const slowest = all.reduce((worst, next) => (next.waitMs > worst.waitMs ? next : worst));
  return slowest.waitMs > 0 ? slowest : fewest(all);
}

/** The constraint with the fewest requests remaining; of several, the one that resets last. */
function fewest(all: readonly [Constraint, ...Constraint[]]): Constraint {
  return all.reduce((least, next) =>
    next.remaining < least.remaining || (next.remaining === least.remaining && next.resetMs > least.resetMs)
      ? next
      : least,
  );
}

function capacityOf(limit: RateLimit): number {
  return limit.burstSize || limit.requestsPerMinute || limit.requestsPerHour;
}

/** In parts of a token. */
function refillPerMs(limit: RateLimit): number {
  return limit.requestsPerMinute > 0 ? limit.requestsPerMinute * (TOKEN / MINUTE_MS) : limit.requestsPerHour;
}
