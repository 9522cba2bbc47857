import fc from "fast-check";
import type { RateLimit } from "../../src/domain/limits/caps.ts";
import { anyLimit, pauseMs, stepBackMs } from "./arbitraries.ts";

/** Mostly what a request costs, sometimes more than a small limit admits. */
export const anyCost = fc.oneof(
  { weight: 4, arbitrary: fc.constant(1) },
  { weight: 3, arbitrary: fc.integer({ min: 2, max: 6 }) },
  { weight: 1, arbitrary: fc.constantFrom(59, 60, 999, 1_000) },
);

/** Few, so that each of them comes again. Undefined: a request without a user. */
export const anyUser = fc.constantFrom("anna", "ben", undefined);

/** A limit, mostly with one of each user. */
export const anyUserLimit: fc.Arbitrary<RateLimit> = fc
  .tuple(anyLimit, fc.option(anyLimit, { nil: undefined, freq: 8 }))
  .map(([limit, perUser]) => (perUser === undefined ? limit : { ...limit, perUser }));

/** A request of a key with users. Undefined as its limit: that of the request before. */
export const anyRequest = fc.record({
  pause: fc.oneof({ weight: 9, arbitrary: pauseMs }, { weight: 1, arbitrary: stepBackMs }),
  user: anyUser,
  cost: anyCost,
  isShared: fc.boolean(),
  limit: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: anyUserLimit }),
});
