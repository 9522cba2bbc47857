import { expect, test } from "vitest";
import type { UsagePeriod } from "./period.ts";
import { type StepUses, seriesOf, totalsOf } from "./series.ts";

const at = (hour: number): Date => new Date(Date.UTC(2027, 0, 15, hour));
const PERIOD: UsagePeriod = { step: "hour", from: at(0), to: at(3) };
const USES: readonly StepUses[] = [
  { from: at(2), failure: "rate_limited", count: 2 },
  { from: at(2), failure: null, count: 5 },
  { from: at(0), failure: "not_found", count: 1 },
  { from: at(2), failure: "jwt_expired", count: 3 },
];

test("a series has every step in its order, also one without a use", () => {
  expect(seriesOf(PERIOD, USES)).toEqual([
    { from: at(0), successful: 0, denied: new Map([["not_found", 1]]) },
    { from: at(1), successful: 0, denied: new Map() },
    {
      from: at(2),
      successful: 5,
      denied: new Map([
        ["rate_limited", 2],
        ["jwt_expired", 3],
      ]),
    },
  ]);
});

test("a use outside of the period is an error and is not dropped", () => {
  expect(() => seriesOf(PERIOD, [{ from: at(3), failure: null, count: 1 }])).toThrow("in no step of its period");
});

test("the counters are the sums of the successful and the failed uses", () => {
  expect(totalsOf(USES)).toEqual({ total: 11, successful: 5, failed: 6 });
  expect(totalsOf([])).toEqual({ total: 0, successful: 0, failed: 0 });
});
