import fc from "fast-check";
import { expect, test } from "vitest";

const GIVEN = process.env.PROPERTY_RUNS;

test("a property runs PROPERTY_RUNS times as often as its test asks for, a fifth as often by default", () => {
  const factor = Number(GIVEN ?? 0.2);
  let runs = 0;
  const counted = fc.property(fc.nat(), () => void runs++);
  fc.assert(counted, { numRuns: 5 });
  expect(runs).toBe(5 * factor);
  fc.assert(counted);
  expect(runs).toBe(105 * factor);
});

test("properties have one seed, or with PROPERTY_RUNS another one in each run", () => {
  expect(fc.readConfigureGlobal()?.seed === undefined).toBe(GIVEN !== undefined);
});
