import fc from "fast-check";
import { expect, test } from "vitest";

test("a property runs PROPERTY_RUNS times as often as its test asks for", () => {
  const factor = Number(process.env.PROPERTY_RUNS ?? 1);
  let runs = 0;
  const counted = fc.property(fc.nat(), () => void runs++);
  fc.assert(counted, { numRuns: 3 });
  expect(runs).toBe(3 * factor);
  fc.assert(counted);
  expect(runs).toBe(103 * factor);
});
