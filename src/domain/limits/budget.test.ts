// promise: limits.windows, limits.bursts, limits.changed, limits.user-denied, limits.reported, limits.retry
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyLimit, cappedLimit, pauseMs, START_MS, stepBackMs } from "../../../test/limits/arbitraries.ts";
import { peek, take } from "../../../test/limits/one-budget.ts";
import { PlainLimiter } from "../../../test/limits/plain-limiter.ts";
import { replay, vectors } from "../../../test/limits/vectors.ts";
import { exhausted, idleAtMs, type LimiterState, mostAtOnce } from "./budget.ts";
import type { RateLimit } from "./caps.ts";
import type { LimitDecision } from "./decision.ts";

const pauses = fc.array(pauseMs, { minLength: 1, maxLength: 60 });

describe("vectors", () => {
  test.each(vectors)("$name", async (vector) => {
    const limiter = new PlainLimiter();
    await replay(vector, (limit, at, spending) => limiter.take(limit, at.getTime(), spending));
  });
});

describe("caps", () => {
  // threat: L2
  test("no window admits more than its cap, wherever it opens", () => {
    law(
      fc.property(cappedLimit, pauses, (limit, run) => {
        const admitted = admittedAt(limit, run);
        expect(fullestWindow(admitted, 60_000)).toBeLessThanOrEqual(limit.requestsPerMinute || Infinity);
        expect(fullestWindow(admitted, 3_600_000)).toBeLessThanOrEqual(limit.requestsPerHour || Infinity);
      }),
    );
  });

  // threat: L2
  test("over any stretch of time no more is admitted than the bucket holds and refills", () => {
    law(
      fc.property(cappedLimit, pauses, (limit, run) => {
        const admitted = admittedAt(limit, run).map(BigInt);
        const [tokens, perMs] =
          limit.requestsPerMinute > 0 ? [limit.requestsPerMinute, 60_000n] : [limit.requestsPerHour, 3_600_000n];
        const capacity = BigInt(limit.burstSize || tokens) * perMs;
        for (const [i, from] of admitted.entries()) {
          for (const [j, to] of admitted.entries()) {
            if (j >= i) expect(BigInt(j - i + 1) * perMs <= capacity + (to - from) * BigInt(tokens)).toBe(true);
          }
        }
      }),
    );
  });

  test("a request that all three constraints can afford is admitted", () => {
    law(
      fc.property(cappedLimit, pauses, (limit, run) => {
        const decided: { atMs: number; decision: LimitDecision }[] = [];
        play(limit, run, (decision, atMs) => decided.push({ decision, atMs }));
        const model = new Model(limit);
        for (const { atMs, decision } of decided) expect(decision.kind === "allow").toBe(model.admits(BigInt(atMs)));
      }),
    );
  });

  test("a bucket of twice the cap never denies what the windows admit", () => {
    const LARGEST = 2_147_483_647;
    law(
      fc.property(cappedLimit, pauses, (limit, run) => {
        const cap = limit.requestsPerMinute || limit.requestsPerHour;
        fc.pre(cap * 2 <= LARGEST);
        expect(admittedAt({ ...limit, burstSize: cap * 2 }, run)).toEqual(
          admittedAt({ ...limit, burstSize: LARGEST }, run),
        );
      }),
    );
  });

  // threat: L8
  test("an unlimited key is never denied and its counters stay as they are", () => {
    law(
      fc.property(cappedLimit, pauses, pauseMs, fc.nat(), (limit, run, pause, burstSize) => {
        const key = play(limit, run);
        const state = key.state;
        const unlimited = { requestsPerMinute: 0, requestsPerHour: 0, burstSize };
        const decision = key.take(unlimited, key.atMs + pause);
        expect(decision).toMatchObject({ kind: "allow", limit: 2_147_483_647, remaining: 2_147_483_647 });
        expect(key.state).toBe(state);
      }),
    );
  });
});

describe("what a caller sees", () => {
  // threat: L6
  test("a retry after the promised seconds is admitted, one a second earlier is not", () => {
    law(
      fc.property(cappedLimit, pauses, (limit, run) => {
        const key = play(limit, run);
        const decision = key.takeUntilDenied(limit);
        if (decision === undefined) return;
        expect(decision.retryAfterSeconds).toBeGreaterThanOrEqual(1);
        const retryMs = key.atMs + (decision.retryAfterSeconds ?? 0) * 1_000;
        expect(take(key.state, limit, retryMs - 1_000).decision.kind).toBe("deny");
        expect(take(key.state, limit, retryMs).decision.kind).toBe("allow");
        expect(key.take(limit, retryMs).kind).toBe("allow");
      }),
    );
  });

  test("as many requests as a look says are admitted at once, each with one remaining less, and no more", () => {
    law(
      fc.property(cappedLimit, pauses, (limit, run) => {
        const key = play(limit, run);
        const { atOnce, remaining } = peek(key.state, limit, key.atMs);
        expect(atOnce).toBeLessThanOrEqual(remaining);
        expect(atOnce).toBeLessThanOrEqual(mostAtOnce(limit));
        if (atOnce > 100) return;
        for (let n = 1; n <= atOnce; n++) {
          expect(key.take(limit, key.atMs)).toMatchObject({ kind: "allow", remaining: remaining - n });
        }
        expect(key.take(limit, key.atMs)).toMatchObject({ kind: "deny", remaining: 0 });
      }),
    );
  });

  test("what is reported is the window with fewer remaining, of two equal the hour, and never the bucket", () => {
    law(
      fc.property(cappedLimit, pauses, (limit, run) => {
        const admitted: number[] = [];
        play(limit, run, (decision, atMs) => {
          if (decision.kind === "allow") admitted.push(atMs);
          const windows = [
            shownWindow(admitted, atMs, 3_600_000, limit.requestsPerHour),
            shownWindow(admitted, atMs, 60_000, limit.requestsPerMinute),
          ].filter(({ limit: cap }) => cap > 0);
          const [fewest] = windows.toSorted((one, other) => one.remaining - other.remaining);
          expect(decision.limit).toBe(fewest?.limit);
          if (decision.kind === "deny") expect(decision.remaining).toBe(0);
          else expect(withoutKind(decision)).toEqual(fewest);
        });
      }),
    );
  });

  test("a denied request is admitted at its reset, and not before the last second of Retry-After", () => {
    law(
      fc.property(cappedLimit, pauses, (limit, run) => {
        const key = play(limit, run);
        const decision = key.takeUntilDenied(limit);
        if (decision === undefined) return;
        const resetMs = decision.resetAt.getTime();
        expect(take(key.state, limit, resetMs).decision.kind).toBe("allow");
        expect(resetMs).toBeGreaterThan(key.atMs + ((decision.retryAfterSeconds ?? 0) - 1) * 1_000);
      }),
    );
  });

  // threat: L9
  test("numbers are whole and in range, reset is a whole second and not past, under changing limits and any clock", () => {
    const steps = fc.array(fc.tuple(fc.oneof(pauseMs, stepBackMs), anyLimit), { maxLength: 40 });
    law(
      fc.property(steps, (run) => {
        const key = new Key();
        for (const [pause, limit] of run) {
          const decision = key.take(limit, key.atMs + pause);
          expect(Number.isInteger(decision.limit) && decision.limit > 0).toBe(true);
          expect(Number.isInteger(decision.remaining) && decision.remaining >= 0).toBe(true);
          expect(decision.remaining).toBeLessThanOrEqual(decision.limit);
          expect(decision.resetAt.getTime() % 1_000).toBe(0);
          expect(decision.resetAt.getTime()).toBeGreaterThanOrEqual(key.atMs);
          if (decision.kind === "deny") expect(decision.remaining).toBe(0);
        }
      }),
    );
  });

  test("peek reports the window of the next decision, with the requests that remain before it", () => {
    law(
      fc.property(cappedLimit, pauses, (limit, run) => {
        const key = play(limit, run);
        const { atOnce, remaining, limit: shown } = peek(key.state, limit, key.atMs);
        const { decision } = take(key.state, limit, key.atMs);
        expect(shown).toBe(decision.limit);
        expect(atOnce > 0).toBe(decision.kind === "allow");
        if (decision.kind === "allow") expect(remaining).toBe(decision.remaining + 1);
      }),
    );
  });
});

describe("a peek", () => {
  const resetAt = new Date("2026-03-01T12:00:00Z");
  const nowMs = resetAt.getTime();

  test("at an unlimited key shows that it has no limit", () => {
    const unlimited = { requestsPerMinute: 0, requestsPerHour: 0, burstSize: 5 };
    const [limit, remaining, atOnce] = [2_147_483_647, 2_147_483_647, 2_147_483_647];
    expect(peek(undefined, unlimited, nowMs)).toEqual({ limit, remaining, atOnce, resetAt });
  });

  test("at a key that was never used shows the whole of its smaller window, which resets now", () => {
    for (const [requestsPerMinute, requestsPerHour, burstSize, limit, atOnce] of [
      [5, 0, 10, 5, 5],
      [0, 5, 10, 5, 5],
      [5, 4, 10, 4, 4],
      [5, 4, 3, 4, 3],
      [120, 0, 20, 120, 20],
    ] as const) {
      const caps = { requestsPerMinute, requestsPerHour, burstSize };
      expect(peek(undefined, caps, nowMs)).toEqual({ limit, remaining: limit, atOnce, resetAt });
      expect(mostAtOnce(caps)).toBe(atOnce);
    }
  });

  test("at a budget that is unknown shows none", () => {
    expect(exhausted(resetAt)).toEqual({ limit: 0, remaining: 0, resetAt });
    const next = new Date("2026-03-01T12:00:01Z");
    expect(exhausted(new Date(nowMs + 1))).toEqual({ limit: 0, remaining: 0, resetAt: next });
  });
});

describe("what is spent", () => {
  test("a denied request spends nothing: without it, all later decisions are the same", () => {
    law(
      fc.property(cappedLimit, pauses, (limit, run) => {
        const silent = new Key();
        play(limit, run, (decision, atMs) => {
          if (decision.kind === "allow") expect(silent.take(limit, atMs)).toEqual(decision);
        });
      }),
    );
  });

  test("a raised limit admits at once", () => {
    law(
      fc.property(cappedLimit, pauses, fc.integer({ min: 1, max: 1_000 }), (limit, run, more) => {
        const key = play({ ...limit, burstSize: 0 }, run);
        const raised = {
          requestsPerMinute: limit.requestsPerMinute && limit.requestsPerMinute + more,
          requestsPerHour: limit.requestsPerHour && limit.requestsPerHour + more,
          burstSize: 0,
        };
        expect(key.take(raised, key.atMs).kind).toBe("allow");
      }),
    );
  });

  test("a clock that steps back counts as no time passed: nothing is lost, nothing is granted", () => {
    const steps = fc.array(fc.oneof({ weight: 4, arbitrary: pauseMs }, { weight: 1, arbitrary: stepBackMs }), {
      maxLength: 60,
    });
    law(
      fc.property(cappedLimit, steps, (limit, run) => {
        const stepping = new Key();
        const steady = new Key();
        for (const pause of run) {
          const actual = stepping.take(limit, stepping.atMs + pause);
          const wanted = steady.take(limit, steady.atMs + Math.max(0, pause));
          expect(withoutReset(actual)).toEqual(withoutReset(wanted));
          expect(actual.resetAt.getTime() - stepping.atMs).toBe(wanted.resetAt.getTime() - steady.atMs);
        }
      }),
    );
  });

  test("the state of an idle key may be evicted: a new one gets the same decisions", () => {
    law(
      fc.property(cappedLimit, pauses, (limit, run) => {
        const key = play(limit, run);
        const state = key.state;
        if (state === undefined) throw new Error("no state");
        const idleMs = idleAtMs(state, limit);
        expect(take(state, limit, idleMs).decision).toEqual(take(undefined, limit, idleMs).decision);
        expect(idleAtMs(take(state, limit, idleMs).state, limit)).toBeGreaterThan(idleMs);
      }),
    );
  });
});

describe("a key is idle", () => {
  const idleAt = (requestsPerMinute: number, requestsPerHour: number, burstSize: number): number => {
    const limit = { requestsPerMinute, requestsPerHour, burstSize };
    return idleAtMs(take(undefined, limit, 0).state, limit);
  };

  test("once its windows have ended and its bucket is full", () => {
    expect(idleAt(60, 0, 0)).toBe(60_000);
    expect(idleAt(60, 1_000, 0)).toBe(3_600_000);
    expect(idleAt(0, 1_000, 0)).toBe(3_600_000);
    expect(idleAt(1, 0, 1)).toBe(60_000);
  });
});

/** One key, its state and its clock. */
class Key {
  state: LimiterState | undefined;
  atMs = START_MS;

  take(limit: RateLimit, atMs: number): LimitDecision {
    const { decision, state } = take(this.state, limit, atMs);
    this.state = state;
    this.atMs = atMs;
    return decision;
  }

  takeUntilDenied(limit: RateLimit): Extract<LimitDecision, { kind: "deny" }> | undefined {
    for (let n = 0; n < 200; n++) {
      const decision = this.take(limit, this.atMs);
      if (decision.kind === "deny") return decision;
    }
    return undefined;
  }
}

/** The rules of `docs/promises.md`, from the list of all that was admitted: slow, exact (in big fractions), obvious. */
class Model {
  readonly #limit: RateLimit;
  readonly #windows: { startMs: bigint; count: number; readonly lengthMs: bigint; readonly cap: number }[];
  #parts: bigint;
  #atMs = 0n;

  constructor(limit: RateLimit) {
    this.#limit = limit;
    this.#windows = [
      { startMs: -3_600_000n, count: 0, lengthMs: 60_000n, cap: limit.requestsPerMinute },
      { startMs: -3_600_000n, count: 0, lengthMs: 3_600_000n, cap: limit.requestsPerHour },
    ].filter((window) => window.cap > 0);
    this.#parts = this.#capacity();
  }

  admits(atMs: bigint): boolean {
    const rate = BigInt(this.#limit.requestsPerMinute || this.#limit.requestsPerHour);
    const filled = this.#parts + (atMs - this.#atMs) * rate;
    this.#parts = filled < this.#capacity() ? filled : this.#capacity();
    this.#atMs = atMs;
    const open = this.#windows.filter((window) => atMs < window.startMs + window.lengthMs);
    if (this.#parts < this.#token() || open.some((window) => window.count >= window.cap)) return false;
    this.#parts -= this.#token();
    for (const window of this.#windows) {
      if (!open.includes(window)) Object.assign(window, { startMs: atMs, count: 0 });
      window.count++;
    }
    return true;
  }

  #token(): bigint {
    return this.#limit.requestsPerMinute > 0 ? 60_000n : 3_600_000n;
  }

  #capacity(): bigint {
    const { burstSize, requestsPerMinute, requestsPerHour } = this.#limit;
    return BigInt(burstSize || requestsPerMinute || requestsPerHour) * this.#token();
  }
}

function law(property: Parameters<typeof fc.assert>[0]): void {
  fc.assert(property, { numRuns: 500 });
}

function play(limit: RateLimit, run: readonly number[], each?: (decision: LimitDecision, atMs: number) => void): Key {
  const key = new Key();
  for (const pause of run) {
    const decision = key.take(limit, key.atMs + pause);
    each?.(decision, key.atMs);
  }
  return key;
}

function admittedAt(limit: RateLimit, run: readonly number[]): number[] {
  const admitted: number[] = [];
  play(limit, run, (decision, atMs) => {
    if (decision.kind === "allow") admitted.push(atMs);
  });
  return admitted;
}

/** The most requests in one window, where each opens at the first request after the previous one ended. */
function fullestWindow(admitted: readonly number[], lengthMs: number): number {
  let startMs = -Infinity;
  let count = 0;
  let most = 0;
  for (const atMs of admitted) {
    if (atMs - startMs >= lengthMs) {
      startMs = atMs;
      count = 0;
    }
    most = Math.max(most, ++count);
  }
  return most;
}

/** A window of so many ms after what was admitted: its cap, what is left of it, and the whole second of its end. */
function shownWindow(admitted: readonly number[], nowMs: number, lengthMs: number, limit: number) {
  let startMs = -Infinity;
  for (const atMs of [...admitted, nowMs]) if (atMs - startMs >= lengthMs) startMs = atMs;
  const count = admitted.filter((atMs) => atMs >= startMs).length;
  return { limit, remaining: limit - count, resetAt: new Date(Math.ceil((startMs + lengthMs) / 1_000) * 1_000) };
}

const withoutKind = ({ limit, remaining, resetAt }: LimitDecision): object => ({ limit, remaining, resetAt });
const withoutReset = ({ resetAt: _, ...rest }: LimitDecision): object => rest;
