// promise: rotation.limits, limits.per-user
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cappedLimit, pauseMs, START_MS } from "../../../test/limits/arbitraries.ts";
import { take } from "../../../test/limits/one-budget.ts";
import { PlainLimiter } from "../../../test/limits/plain-limiter.ts";
import { anyCost, anyUser } from "../../../test/limits/user-arbitraries.ts";
import type { LimiterState } from "./budget.ts";
import type { Caps } from "./caps.ts";
import type { LimitDecision } from "./decision.ts";

const runs = fc.array(fc.record({ pause: pauseMs, user: anyUser, cost: anyCost }), { minLength: 1, maxLength: 40 });

/** One budget alone, by the rules that `budget.test.ts` proves. */
class Single {
  readonly #limit: Caps;
  #state: LimiterState | undefined;

  constructor(limit: Caps) {
    this.#limit = limit;
  }

  affords(cost: number, nowMs: number): boolean {
    return take(this.#state, this.#limit, nowMs, cost).decision.kind === "allow";
  }

  spend(cost: number, nowMs: number): void {
    this.#state = take(this.#state, this.#limit, nowMs, cost).state;
  }
}

describe("a key's budget and a user's", () => {
  test("admit a request if and only if each of them alone would, and only then are both spent", () => {
    const property = fc.property(cappedLimit, cappedLimit, runs, (own, perUser, run) => {
      const limiter = new PlainLimiter();
      const key = new Single(own);
      const users = new Map<string, Single>();
      let nowMs = START_MS;
      for (const { pause, user, cost } of run) {
        nowMs += pause;
        const budgets = [key, ...(user === undefined ? [] : [singleOf(users, user, perUser)])];
        const expected = budgets.every((budget) => budget.affords(cost, nowMs));
        if (expected) for (const budget of budgets) budget.spend(cost, nowMs);
        const decision = limiter.take({ ...own, perUser }, nowMs, { user, cost });
        expect(decision.kind).toBe(expected ? "allow" : "deny");
      }
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("a denied request spends of neither: without it, all later decisions are the same", () => {
    const property = fc.property(cappedLimit, cappedLimit, runs, (own, perUser, run) => {
      const limit = { ...own, perUser };
      const [limiter, silent] = [new PlainLimiter(), new PlainLimiter()];
      let nowMs = START_MS;
      for (const { pause, user, cost } of run) {
        nowMs += pause;
        const decision = limiter.take(limit, nowMs, { user, cost });
        if (decision.kind === "allow") expect(silent.take(limit, nowMs, { user, cost })).toEqual(decision);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("a retry after the promised seconds is admitted, whichever of them denied, and without seconds none is", () => {
    const property = fc.property(cappedLimit, cappedLimit, runs, (own, perUser, run) => {
      const limit = { ...own, perUser };
      let nowMs = START_MS;
      const limiter = new PlainLimiter();
      for (const { pause, user, cost } of run) {
        nowMs += pause;
        const decision = limiter.take(limit, nowMs, { user, cost });
        if (decision.kind === "allow") continue;
        const { retryAfterSeconds } = decision;
        if (retryAfterSeconds === undefined) {
          expect(decision.scope === "user" ? perUser : own).toSatisfy((caps: Caps) => smallestOf(caps) < cost);
          continue;
        }
        nowMs += retryAfterSeconds * 1_000;
        expect(limiter.take(limit, nowMs, { user, cost }).kind).toBe("allow");
      }
    });
    fc.assert(property, { numRuns: 500 });
  });
});

describe("a cost", () => {
  test("is admitted if and only if as many single requests at once would be, and leaves what they leave", () => {
    const property = fc.property(cappedLimit, runs, (limit, run) => {
      const whole = new PlainLimiter();
      const single = new PlainLimiter();
      let nowMs = START_MS;
      for (const { pause, cost } of run) {
        nowMs += pause;
        const decision = whole.take(limit, nowMs, { cost });
        const trial = new PlainLimiter(single);
        let last: LimitDecision | undefined;
        for (let n = 0; n < cost && last?.kind !== "deny"; n++) last = trial.take(limit, nowMs);
        expect(decision.kind).toBe(last?.kind);
        if (decision.kind === "deny") continue;
        expect(decision).toEqual(last);
        for (let n = 0; n < cost; n++) single.take(limit, nowMs);
      }
    });
    fc.assert(property, { numRuns: 200 });
  });
});

describe("a shared budget", () => {
  test("admits at once no more than its largest bucket, however its keys take turns", () => {
    const bursts = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 60 });
    const property = fc.property(bursts, (sizes) => {
      const limiter = new PlainLimiter();
      let admitted = 0;
      for (const burstSize of sizes) {
        const limit = { requestsPerMinute: 1_000, requestsPerHour: 0, burstSize };
        if (limiter.take(limit, START_MS, { isShared: true }).kind === "allow") admitted++;
      }
      expect(admitted).toBeLessThanOrEqual(Math.max(...sizes));
    });
    fc.assert(property, { numRuns: 500 });
  });
});

function singleOf(users: Map<string, Single>, user: string, limit: Caps): Single {
  const single = users.get(user) ?? new Single(limit);
  users.set(user, single);
  return single;
}

function smallestOf({ requestsPerMinute, requestsPerHour, burstSize }: Caps): number {
  return Math.min(...[requestsPerMinute, requestsPerHour, burstSize].filter((cap) => cap > 0));
}
