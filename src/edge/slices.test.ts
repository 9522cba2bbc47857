// promise: edges.limits
import { beforeEach, describe, expect, test } from "vitest";
import { sentDecision } from "../../test/harness/edge-messages.ts";
import type { RateLimit } from "../domain/limits/caps.ts";
import type { LimitDecision } from "../domain/limits/decision.ts";
import type { Limiter } from "../domain/limits/limiter.ts";
import { createMemoryLimiter } from "../store/limits/memory-limiter.ts";
import type { SlicesContext } from "./slices.ts";
import { createEdgeLimiter } from "./slices.ts";

const LIMIT: RateLimit = { requestsPerMinute: 100, requestsPerHour: 0, burstSize: 0 };
const SMALL: RateLimit = { requestsPerMinute: 7, requestsPerHour: 0, burstSize: 0 };
const MINUTE_MS = 60_000;

let nowMs: number;
let shared: Limiter;
const clock = () => new Date(1_700_000_000_000 + nowMs);

beforeEach(() => {
  nowMs = 0;
  shared = createMemoryLimiter(clock);
});

/** An edge beside the one budget. Each question takes `latencyMs` each way, which `pass` is called with. */
function edgeOf(latencyMs = 0) {
  const link: SlicesContext["link"] = {
    async askSlice({ budgetId, limit, spending, most, peek }) {
      await Promise.resolve();
      const plain = { number: 1n, takenAtMs: 0n, granted: 0 } as const;
      if (peek) return { ...plain, decision: sentDecision(await shared.peek(budgetId, limit)) } as never;
      if (most === 0)
        return { ...plain, decision: sentDecision(await shared.take(budgetId, limit, spending)) } as never;
      const slice = await shared.slice(budgetId, limit, { most, isShared: spending.isShared });
      nowMs += latencyMs;
      const life = Number.isFinite(slice.lifeMs) ? { lifeMs: BigInt(Math.floor(slice.lifeMs)) } : {};
      const { granted, takenAtMs, decision } = slice;
      return { ...plain, granted, decision: sentDecision(decision), ...life, takenAtMs: BigInt(takenAtMs) } as never;
    },
    returnSlice: ({ budgetId, limit, unspent, takenAtMs, shared: isShared }) =>
      void shared.giveBack(budgetId, limit, { unspent, takenAtMs: Number(takenAtMs), isShared }),
  };
  return createEdgeLimiter({ link, clock, monotonicMs: () => nowMs });
}

async function takeAll(
  edges: readonly Pick<Limiter, "take">[],
  count: number,
  limit = LIMIT,
): Promise<LimitDecision[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, n) => edges[n % edges.length]?.take("key", limit) as never),
  );
}

const admitted = (decisions: readonly LimitDecision[]): number =>
  decisions.filter(({ kind }) => kind === "allow").length;

describe("the requests of a limit", () => {
  test.each([LIMIT, SMALL])("are admitted exactly, over three edges at once: %j", async (limit) => {
    const decisions = await takeAll([edgeOf(), edgeOf(), edgeOf()], 1_000, limit);
    expect(admitted(decisions)).toBe(limit.requestsPerMinute);
  });

  test("are counted down without a gap by one edge, to 0 with the last one", async () => {
    const remaining = (await takeAll([edgeOf()], 150, SMALL)).map(({ remaining }) => remaining);
    expect(Math.min(...remaining.slice(0, 6))).toBeGreaterThan(0);
    expect(remaining.slice(6)).toEqual(remaining.slice(6).map(() => 0));
  });

  test("are never more than may still be spent, where others spend too", async () => {
    const edges = [edgeOf(), edgeOf()];
    let left = LIMIT.requestsPerMinute;
    for (let n = 0; n < 150; n++) {
      const [decision] = await takeAll([edges[n % 2] as never], 1);
      if (decision?.kind === "allow") left -= 1;
      expect(decision?.remaining).toBeLessThanOrEqual(left);
      // What the other one holds, this one cannot have.
      if (decision?.remaining === 0) expect((await shared.peek("key", LIMIT)).remaining).toBe(0);
    }
    expect(left).toBe(0);
  });
});

describe("a window that ends", () => {
  test("ends its slices: the next one admits its limit, and no more", async () => {
    const edges = [edgeOf(), edgeOf()];
    await takeAll(edges, 20);
    nowMs += MINUTE_MS;
    expect(admitted(await takeAll(edges, 300))).toBe(100);
  });

  test("while a slice is on its way, lets it not be spent in the next one", async () => {
    const edge = edgeOf(10);
    await takeAll([edge], 1);
    edge.returnIdle(true);
    nowMs = MINUTE_MS - 5;
    const other = edgeOf(10);
    expect(admitted(await takeAll([other], 300))).toBe(100);
  });

  test("gives back what is left of its slices to the hour that goes on", async () => {
    const both: RateLimit = { requestsPerMinute: 50, requestsPerHour: 100, burstSize: 0 };
    const edge = edgeOf();
    await takeAll([edge], 3, both);
    nowMs += MINUTE_MS;
    let all = 3;
    for (let n = 0; n < 4; n++) {
      all += admitted(await takeAll([edge], 200, both));
      nowMs += MINUTE_MS;
    }
    expect(all).toBe(100);
  });
});

describe("what is not spent", () => {
  const remaining = async (limit = LIMIT) => (await shared.peek("key", limit)).remaining;

  test("is given back after half a second, and when the edge ends", async () => {
    const edge = edgeOf();
    await takeAll([edge], 3);
    nowMs += 499;
    edge.returnIdle();
    expect(await remaining()).toBeLessThan(97);
    nowMs += 1;
    edge.returnIdle();
    expect(await remaining()).toBe(97);
    await takeAll([edge], 1);
    edge.returnIdle(true);
    expect(await remaining()).toBe(96);
  });

  test("is given back where the limit was changed, also while a slice is on its way", async () => {
    const edge = edgeOf();
    const changed: RateLimit = { ...LIMIT, requestsPerMinute: 60 };
    const decisions = await Promise.all([takeAll([edge], 3), takeAll([edge], 3, changed)]);
    expect(admitted(decisions.flat())).toBe(6);
    edge.returnIdle(true);
    expect(await remaining(changed)).toBe(54);
    expect(admitted(await takeAll([edge], 300, changed))).toBe(54);
  });

  test("is lost with an edge that is killed, and no more", async () => {
    const [killed, other] = [edgeOf(), edgeOf()];
    const first = admitted(await takeAll([killed], 5));
    const held = LIMIT.requestsPerMinute - first - (await remaining());
    expect(held).toBeGreaterThan(0);
    expect(first + admitted(await takeAll([other], 300)) + held).toBe(LIMIT.requestsPerMinute);
  });
});
