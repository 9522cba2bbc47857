// promise: edges.grants
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RateLimit } from "../limits/caps.ts";
import { NEVER_GIVEN_BACK } from "../limits/limiter.ts";
import { createGrants, type SlicedBudget } from "./grants.ts";

const LIMIT: RateLimit = { requestsPerMinute: 100, requestsPerHour: 0, burstSize: 0 };
const MINUTE_MS = 60_000;
const START_MS = 1_700_000_000_000;

const budgetOf = (budgetId: string, limit = LIMIT, isShared = false): SlicedBudget => ({ budgetId, limit, isShared });
const KEY = budgetOf("key");
const of = (atMs: number, unspent: number) => ({ takenAtMs: START_MS + atMs, unspent });
/** A slice of a minute that ends at `endMs`. */
const slice = (atMs: number, granted: number, endMs = MINUTE_MS) => ({
  ...{ granted, takenAtMs: START_MS + atMs },
  lifeMs: endMs - atMs,
});

describe("a stream gives back", () => {
  test("what it was granted, once, also in parts", () => {
    const grants = createGrants();
    grants.add(KEY, slice(0, 10));
    expect(grants.redeem(KEY, of(0, 4))).toBe(4);
    expect(grants.redeem(KEY, of(0, 100))).toBe(6);
    expect(grants.redeem(KEY, of(0, 1))).toBe(0);
  });

  test("slices of one window in any order", () => {
    const grants = createGrants();
    grants.add(KEY, slice(0, 10));
    grants.add(KEY, slice(100, 5));
    expect(grants.redeem(KEY, of(100, 5))).toBe(5);
    expect(grants.redeem(KEY, of(0, 10))).toBe(10);
  });

  test("what is left of a minute that has ended, to the hour that goes on", () => {
    const grants = createGrants();
    grants.add(KEY, slice(0, 10));
    grants.add(KEY, slice(MINUTE_MS, 5, 2 * MINUTE_MS));
    expect(grants.redeem(KEY, of(0, 10))).toBe(10);
  });
});

describe("a stream gives back nothing", () => {
  test("that it was not granted: before, later, of another key, under another limit, shared or not", () => {
    const grants = createGrants();
    grants.add(KEY, slice(10, 10));
    expect(grants.redeem(KEY, of(9, 10))).toBe(0);
    expect(grants.redeem(KEY, of(11, 10))).toBe(0);
    expect(grants.redeem(budgetOf("other"), of(10, 10))).toBe(0);
    for (const changed of [{ requestsPerMinute: 0 }, { requestsPerHour: 7 }, { burstSize: 1 }])
      expect(grants.redeem(budgetOf("key", { ...LIMIT, ...changed }), of(10, 10))).toBe(0);
    expect(grants.redeem(budgetOf("key", LIMIT, true), of(10, 10))).toBe(0);
  });

  test("to a later window, however much it was granted in an earlier one", () => {
    const grants = createGrants();
    grants.add(KEY, slice(0, 50));
    grants.add(KEY, slice(MINUTE_MS, 5, 2 * MINUTE_MS));
    expect(grants.redeem(KEY, of(MINUTE_MS, 50))).toBe(5);
  });

  test.each([0, -1, -2_147_483_648])("for a count below 1: %i", (unspent) => {
    const grants = createGrants();
    grants.add(KEY, slice(0, 10));
    expect(grants.redeem(KEY, of(0, unspent))).toBe(0);
    expect(grants.redeem(KEY, of(0, 10))).toBe(10);
  });

  test("of what Redis has not counted", () => {
    const grants = createGrants();
    grants.add(KEY, { granted: 10, lifeMs: MINUTE_MS, takenAtMs: NEVER_GIVEN_BACK });
    expect(grants.redeem(KEY, { unspent: 10, takenAtMs: NEVER_GIVEN_BACK })).toBe(0);
  });
});

describe("what is remembered is bounded:", () => {
  test("the budgets that were sliced last", () => {
    const grants = createGrants(2);
    for (const id of ["a", "b", "a", "c"]) grants.add(budgetOf(id), slice(0, 1));
    expect(["a", "b", "c"].map((id) => grants.redeem(budgetOf(id), of(0, 5)))).toEqual([2, 0, 1]);
  });

  test("the last windows of a budget", () => {
    const grants = createGrants();
    for (let n = 0; n < 5; n++) grants.add(KEY, slice(n, 1, MINUTE_MS + n));
    expect([0, 1, 2, 3, 4].map((n) => grants.redeem(KEY, of(n, 1)))).toEqual([0, 1, 1, 1, 1]);
  });

  test("a minute after its window's end a budget is forgotten", () => {
    const grants = createGrants();
    grants.add(KEY, slice(0, 10));
    grants.add(budgetOf("hourly"), slice(0, 10, 60 * MINUTE_MS));
    grants.add(budgetOf("other"), slice(2 * MINUTE_MS, 1, 3 * MINUTE_MS));
    expect([KEY, budgetOf("hourly")].map((budget) => grants.redeem(budget, of(0, 10)))).toEqual([0, 10]);
  });
});

// threat: G8
test("whatever is granted and given back, in no window is more given back than was granted", () => {
  const step = fc.record({
    budget: fc.constantFrom(KEY, budgetOf("other"), budgetOf("key", { ...LIMIT, requestsPerHour: 9 })),
    atMs: fc.nat(5),
    window: fc.constantFrom(1, 2, 3),
    count: fc.integer({ min: -2, max: 20 }),
    isGrant: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const grants = createGrants(2);
      const left = new Map<string, number>();
      for (const { budget, atMs, window, count, isGrant } of steps) {
        // Windows do not overlap.
        const takenMs = window * MINUTE_MS + atMs;
        const place = JSON.stringify([budget, window]);
        const before = left.get(place) ?? 0;
        if (isGrant) {
          const granted = Math.max(0, count);
          grants.add(budget, slice(takenMs, granted, (window + 1) * MINUTE_MS));
          left.set(place, before + granted);
        } else {
          const redeemed = grants.redeem(budget, of(takenMs, count));
          expect(redeemed).toBeGreaterThanOrEqual(0);
          expect(redeemed).toBeLessThanOrEqual(Math.min(before, Math.max(0, count)));
          left.set(place, before - redeemed);
        }
      }
    }),
  );
});
