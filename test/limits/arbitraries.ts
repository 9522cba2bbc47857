import fc from "fast-check";
import type { RateLimit } from "../../src/domain/limits/caps.ts";

/** Mostly small caps, which a few requests reach; sometimes any cap that a key may have. */
const cap = fc.oneof(
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 8 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 2_147_483_647 }) },
  { weight: 1, arbitrary: fc.constantFrom(7, 59, 60, 61, 3_599, 3_600, 3_601, 1_000_003, 2_147_483_647) },
);

export const anyLimit: fc.Arbitrary<RateLimit> = fc.record({
  requestsPerMinute: cap,
  requestsPerHour: cap,
  burstSize: cap,
});

export const cappedLimit = anyLimit.filter((limit) => limit.requestsPerMinute > 0 || limit.requestsPerHour > 0);

/** Time between two requests, in ms: bursts, odd fractions, and both sides of the windows' ends. */
export const pauseMs = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 1_500 }) },
  { weight: 3, arbitrary: fc.integer({ min: 1_000, max: 40_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(1, 1_000, 59_999, 60_000, 60_001, 3_599_999, 3_600_000, 3_600_001) },
  { weight: 1, arbitrary: fc.integer({ min: 60_000, max: 8_000_000 }) },
);

/** A clock that steps back by whole seconds, so that rounding up to the second does not move. */
export const stepBackMs = fc.oneof(
  fc.integer({ min: -20, max: -1 }).map((seconds) => seconds * 1_000),
  fc.integer({ min: -7_200, max: -1 }).map((seconds) => seconds * 1_000),
);

export const START_MS = 1_800_000_000_123;
