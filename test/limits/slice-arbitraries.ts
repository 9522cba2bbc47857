import fc from "fast-check";
import type { RateLimit } from "../../src/domain/limits/caps.ts";
import type { GivenBack, Slice } from "../../src/domain/limits/limiter.ts";
import { pauseMs, stepBackMs } from "./arbitraries.ts";
import { anyCost } from "./user-arbitraries.ts";

/** Mostly caps of which a tenth is more than one request, and which a few slices use up. */
const cap = fc.oneof(
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 8 }) },
  { weight: 7, arbitrary: fc.integer({ min: 10, max: 300 }) },
  { weight: 1, arbitrary: fc.constantFrom(3_599, 3_600, 1_000_003, 2_147_483_647) },
);

export const anySlicedLimit: fc.Arbitrary<RateLimit> = fc.record({
  requestsPerMinute: cap,
  requestsPerHour: cap,
  burstSize: cap,
});

export const cappedSlicedLimit = anySlicedLimit.filter(
  ({ requestsPerMinute, requestsPerHour }) => requestsPerMinute > 0 || requestsPerHour > 0,
);

export const mostOfSlice = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(1, 1_000, 2_147_483_647));

/** What is done with a key's budget. `of` picks a slice that was taken before, `part` a part of what it has left. */
export const anyUse = fc.oneof(
  fc.record({ kind: fc.constant("take" as const), cost: anyCost }),
  fc.record({ kind: fc.constant("slice" as const), most: mostOfSlice }),
  fc.record({ kind: fc.constant("giveBack" as const), of: fc.nat(), part: fc.constantFrom(1, 1, 0.5) }),
);

/** A use with the pause before it. Undefined as its limit: that of the use before. */
export const anyStep = fc.record({
  pause: fc.oneof({ weight: 9, arbitrary: pauseMs }, { weight: 1, arbitrary: stepBackMs }),
  use: anyUse,
  isShared: fc.boolean(),
  limit: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: anySlicedLimit }),
});

/** Slices that were taken, and what is left of each. */
export class HeldSlices {
  readonly #held: { readonly takenAtMs: number; readonly untilMs: number; unspent: number }[] = [];

  add({ granted, takenAtMs, lifeMs }: Slice): void {
    if (granted > 0) this.#held.push({ takenAtMs, untilMs: takenAtMs + lifeMs, unspent: granted });
  }

  /** Takes a part of what one slice has left off it, for `giveBack`. */
  giveBack(of: number, part: number): GivenBack | undefined {
    const slice = this.#held[of % this.#held.length];
    if (slice === undefined || slice.unspent === 0) return undefined;
    const unspent = Math.ceil(slice.unspent * part);
    slice.unspent -= unspent;
    return { unspent, takenAtMs: slice.takenAtMs };
  }

  /** When one slice must not be spent any more. */
  untilMsOf(of: number): number {
    return this.#held[of % this.#held.length]?.untilMs ?? 0;
  }

  /** Spends a part of what one slice has left, as a process does: none after its life. Returns how many requests it admitted. */
  spend(of: number, part: number, nowMs: number): number {
    const slice = this.#held[of % this.#held.length];
    if (slice === undefined || nowMs >= slice.untilMs) return 0;
    const spent = Math.ceil(slice.unspent * part);
    slice.unspent -= spent;
    return spent;
  }
}
