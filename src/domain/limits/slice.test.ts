import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pauseMs, START_MS } from "../../../test/limits/arbitraries.ts";
import { PlainLimiter } from "../../../test/limits/plain-limiter.ts";
import { anyUse, cappedSlicedLimit, HeldSlices, mostOfSlice } from "../../../test/limits/slice-arbitraries.ts";
import { peek } from "./budget.ts";
import type { RateLimit } from "./caps.ts";
import type { PeekedLimit } from "./decision.ts";
import { SLICE_DIVISOR } from "./slice.ts";

const MINUTELY: RateLimit = { requestsPerMinute: 100, requestsPerHour: 0, burstSize: 1_000 };

/** A part of a slice is spent or given back: now, in the last ms of its life, or after that, when it must not be spent. */
const anyTime = fc.constantFrom("now", "last", "after");
const anySpending = fc.record({ kind: fc.constant("spend" as const), of: fc.nat(), part: fc.constantFrom(1, 1, 0.5) });
/** All that a budget admits now. */
const anyDrain = fc.record({ kind: fc.constant("drain" as const), of: fc.nat() });
const anyRun = fc.array(fc.record({ pause: pauseMs, when: anyTime, use: fc.oneof(anyUse, anySpending, anyDrain) }), {
  minLength: 1,
  maxLength: 40,
});
/** Mostly with a bucket that never denies, so that windows are filled. */
const anyWindows = fc
  .record({
    requestsPerMinute: fc.constantFrom(0, 10, 35, 60),
    requestsPerHour: fc.constantFrom(0, 10, 70, 300),
    burstSize: fc.constantFrom(0, 2_147_483_647, 2_147_483_647),
  })
  .filter((limit) => limit.requestsPerMinute > 0 || limit.requestsPerHour > 0);

function look(limiter: PlainLimiter, limit: RateLimit, nowMs: number): PeekedLimit {
  return peek([{ state: limiter.stateOf(), limit }], nowMs);
}

/** A run of requests, slices and what is given back, on a clock that never steps back. */
function play(limit: RateLimit, run: readonly { pause: number; use: Parameters<typeof applyUse>[3] }[]) {
  const limiter = new PlainLimiter();
  const held = new HeldSlices();
  let nowMs = START_MS;
  for (const { pause, use } of run) {
    nowMs += pause;
    applyUse(limiter, limit, nowMs, use, held);
  }
  return { limiter, nowMs };
}

type Use = typeof anyUse extends fc.Arbitrary<infer T> ? T : never;

function admittedBy(
  limiter: PlainLimiter,
  limit: RateLimit,
  nowMs: number,
  use: Use | { kind: "spend"; of: number; part: number } | { kind: "drain" },
  held: HeldSlices,
): number {
  if (use.kind === "spend") return held.spend(use.of, use.part, nowMs);
  if (use.kind !== "drain") return applyUse(limiter, limit, nowMs, use, held);
  const { atOnce } = look(limiter, limit, nowMs);
  if (atOnce > 0) limiter.take(limit, nowMs, { cost: atOnce });
  return atOnce;
}

/** Returns how many requests were admitted by it. */
function applyUse(limiter: PlainLimiter, limit: RateLimit, nowMs: number, use: Use, held: HeldSlices): number {
  switch (use.kind) {
    case "take":
      return limiter.take(limit, nowMs, { cost: use.cost }).kind === "allow" ? use.cost : 0;
    case "slice":
      held.add(limiter.slice(limit, nowMs, { most: use.most }));
      return 0;
    case "giveBack": {
      const given = held.giveBack(use.of, use.part);
      if (given !== undefined) limiter.giveBack(limit, nowMs, given);
      return 0;
    }
    default:
      return use satisfies never;
  }
}

describe("a window", () => {
  test("admits no more than its cap to requests and to slices that are spent within their life, over its end, too", () => {
    const property = fc.property(anyWindows, anyRun, (limit, run) => {
      const limiter = new PlainLimiter();
      const held = new HeldSlices();
      const admitted: { atMs: number; count: number }[] = [];
      const opened = { minute: new Set<number>(), hour: new Set<number>() };
      let nowMs = START_MS;
      for (const { pause, when, use } of run) {
        const ofSlice = "of" in use && when !== "now";
        nowMs = ofSlice ? Math.max(nowMs, held.untilMsOf(use.of) - (when === "last" ? 1 : 0)) : nowMs + pause;
        admitted.push({ atMs: nowMs, count: admittedBy(limiter, limit, nowMs, use, held) });
        const { minute, hour } = limiter.stateOf() ?? {};
        if (minute !== undefined && minute.count > 0) opened.minute.add(minute.startMs);
        if (hour !== undefined && hour.count > 0) opened.hour.add(hour.startMs);
      }
      const inWindow = (startMs: number, lengthMs: number) =>
        admitted.reduce(
          (sum, { atMs, count }) => (atMs >= startMs && atMs < startMs + lengthMs ? sum + count : sum),
          0,
        );
      for (const startMs of opened.minute) {
        expect(inWindow(startMs, 60_000)).toBeLessThanOrEqual(limit.requestsPerMinute || Infinity);
      }
      for (const startMs of opened.hour) {
        expect(inWindow(startMs, 3_600_000)).toBeLessThanOrEqual(limit.requestsPerHour || Infinity);
      }
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  test("that has ended gives nothing of its slices to the next one", () => {
    const limiter = new PlainLimiter();
    limiter.take(MINUTELY, START_MS);
    const late = START_MS + 59_000;
    const { granted, lifeMs, takenAtMs } = limiter.slice(MINUTELY, late, { most: 50 });
    expect({ granted, lifeMs, takenAtMs }).toEqual({ granted: 9, lifeMs: 1_000, takenAtMs: late });
    limiter.take(MINUTELY, late + lifeMs, { cost: 20 });
    limiter.giveBack(MINUTELY, late + lifeMs, { unspent: granted, takenAtMs });
    expect(look(limiter, MINUTELY, late + lifeMs)).toMatchObject({ remaining: 80 });
  });

  test("that is an hour gets back what a minute that has ended does not", () => {
    const limit = { requestsPerMinute: 100, requestsPerHour: 300, burstSize: 1_000 };
    const limiter = new PlainLimiter();
    const { granted, lifeMs, takenAtMs } = limiter.slice(limit, START_MS, { most: 10 });
    expect({ granted, lifeMs }).toEqual({ granted: 10, lifeMs: 60_000 });
    limiter.take(limit, START_MS + lifeMs, { cost: 70 });
    limiter.giveBack(limit, START_MS + lifeMs, { unspent: granted, takenAtMs });
    expect(limiter.stateOf()).toMatchObject({ minute: { count: 70 }, hour: { count: 70 } });
  });

  test("that is not capped any more keeps what it has counted", () => {
    const hourly = { requestsPerMinute: 0, requestsPerHour: 300, burstSize: 1_000 };
    const limiter = new PlainLimiter();
    limiter.take({ ...hourly, requestsPerMinute: 100 }, START_MS, { cost: 100 });
    const { granted, takenAtMs } = limiter.slice(hourly, START_MS, { most: 10 });
    limiter.giveBack(hourly, START_MS, { unspent: granted, takenAtMs });
    expect(limiter.stateOf()).toMatchObject({ minute: { count: 100 }, hour: { count: 100 } });
  });
});

describe("a slice", () => {
  test("is at most what was asked for and a tenth of what would be admitted at once, and at least one unless none would", () => {
    const property = fc.property(cappedSlicedLimit, anyRunOfUses(), mostOfSlice, (limit, run, most) => {
      const { limiter, nowMs } = play(limit, run);
      const { atOnce, remaining } = look(limiter, limit, nowMs);
      const { granted, decision } = limiter.slice(limit, nowMs, { most });
      const tenth = Math.floor(atOnce / SLICE_DIVISOR);
      expect(granted).toBe(atOnce === 0 ? 0 : Math.min(most, Math.max(1, tenth)));
      if (granted > 0) expect(decision).toMatchObject({ kind: "allow", remaining: remaining - granted });
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  test("costs what as many requests at once do: all later decisions are the same", () => {
    const property = fc.property(cappedSlicedLimit, anyRunOfUses(), mostOfSlice, pauseMs, (limit, run, most, pause) => {
      const { limiter, nowMs } = play(limit, run);
      const other = new PlainLimiter(limiter);
      const { granted, decision } = limiter.slice(limit, nowMs, { most });
      if (granted > 0) expect(other.take(limit, nowMs, { cost: granted })).toEqual(decision);
      for (const atMs of [nowMs, nowMs + pause]) expect(limiter.take(limit, atMs)).toEqual(other.take(limit, atMs));
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("of none is the denial of a request, and has no life", () => {
    let denials = 0;
    const property = fc.property(cappedSlicedLimit, anyRunOfUses(), mostOfSlice, (limit, run, most) => {
      const { limiter, nowMs } = play(limit, run);
      // So that most runs end without anything left.
      const { atOnce } = look(limiter, limit, nowMs);
      if (atOnce > 0) limiter.take(limit, nowMs, { cost: atOnce });
      const other = new PlainLimiter(limiter);
      const { granted, decision, lifeMs } = limiter.slice(limit, nowMs, { most });
      expect({ granted, lifeMs, decision }).toEqual({ granted: 0, lifeMs: 0, decision: other.take(limit, nowMs) });
      expect(decision.kind).toBe("deny");
      expect(limiter.stateOf()).toEqual(other.stateOf());
      denials += 1;
    });
    fc.assert(property, { numRuns: 500 });
    expect(denials).toBeGreaterThanOrEqual(100);
  });

  test("lives until the first window that counts it ends", () => {
    const both = { requestsPerMinute: 100, requestsPerHour: 1_000, burstSize: 0 };
    const limiter = new PlainLimiter();
    const lifeAt = (ms: number, limit: RateLimit) => limiter.slice(limit, START_MS + ms, { most: 1 }).lifeMs;
    expect(lifeAt(0, both)).toBe(60_000);
    expect(lifeAt(59_999, both)).toBe(1);
    expect(lifeAt(60_000, both)).toBe(60_000);
    expect(lifeAt(60_000, { ...both, requestsPerMinute: 0 })).toBe(3_540_000);
    // The hour ends before the minute.
    expect(lifeAt(3_599_000, both)).toBe(1_000);
  });

  test("of a key without a limit is all that was asked for, for ever", () => {
    const limiter = new PlainLimiter();
    const unlimited = { requestsPerMinute: 0, requestsPerHour: 0, burstSize: 3 };
    const slice = limiter.slice(unlimited, START_MS, { most: 5_000 });
    expect(slice).toMatchObject({ granted: 5_000, lifeMs: Number.POSITIVE_INFINITY, decision: { kind: "allow" } });
    limiter.giveBack(unlimited, START_MS, { unspent: 5_000, takenAtMs: slice.takenAtMs });
    expect(limiter.stateOf()).toBeUndefined();
    // A limit that is set later owes it nothing.
    limiter.take(MINUTELY, START_MS, { cost: 100 });
    limiter.giveBack(MINUTELY, START_MS, { unspent: 5_000, takenAtMs: slice.takenAtMs });
    expect(limiter.stateOf()).toMatchObject({ minute: { count: 100 }, level: 900 * 3_600_000 });
  });
});

describe("what is given back", () => {
  test("makes the budget what it would be without the slices, if it is all of them, in any order and after any pauses", () => {
    const slicesAndPauses = fc.array(fc.tuple(pauseMs, mostOfSlice), { minLength: 1, maxLength: 12 });
    const order = fc.array(fc.tuple(pauseMs, fc.nat()), { minLength: 12, maxLength: 12 });
    const property = fc.property(
      cappedSlicedLimit,
      anyRunOfUses(),
      slicesAndPauses,
      order,
      (limit, run, asks, backs) => {
        let { limiter, nowMs } = play(limit, run);
        const without = new PlainLimiter(limiter);
        const slices = asks.map(([pause, most]) => {
          nowMs += pause;
          return limiter.slice(limit, nowMs, { most });
        });
        for (const [pause, n] of backs) {
          const [slice] = slices.splice(n % Math.max(1, slices.length), 1);
          if (slice === undefined) break;
          nowMs += pause;
          if (slice.granted === 0) continue;
          limiter.giveBack(limit, nowMs, { unspent: slice.granted, takenAtMs: slice.takenAtMs });
        }
        expect(look(limiter, limit, nowMs)).toEqual(look(without, limit, nowMs));
      },
    );
    fc.assert(property, { numRuns: 1_000 });
  });

  test("never leaves a budget with more than its limit, whatever is said to be unspent", () => {
    const limiter = new PlainLimiter();
    const { takenAtMs } = limiter.slice(MINUTELY, START_MS, { most: 10 });
    limiter.giveBack(MINUTELY, START_MS, { unspent: 2_147_483_647, takenAtMs });
    expect(look(limiter, MINUTELY, START_MS)).toMatchObject({ remaining: 100, atOnce: 100 });
    expect(limiter.stateOf()).toMatchObject({ minute: { count: 0 }, level: 1_000 * 3_600_000 });
  });

  test("of a later instant than now is lost, because the clock has stepped back", () => {
    const limiter = new PlainLimiter();
    const { granted, takenAtMs } = limiter.slice(MINUTELY, START_MS, { most: 10 });
    limiter.giveBack(MINUTELY, START_MS - 1, { unspent: granted, takenAtMs });
    expect(look(limiter, MINUTELY, START_MS)).toMatchObject({ remaining: 90 });
  });

  test("to a budget without state leaves it without", () => {
    const limiter = new PlainLimiter();
    limiter.giveBack(MINUTELY, START_MS, { unspent: 5, takenAtMs: START_MS });
    expect(limiter.stateOf()).toBeUndefined();
  });
});

function anyRunOfUses() {
  return fc.array(fc.record({ pause: pauseMs, use: anyUse }), { maxLength: 30 });
}
