// promise: edges.grants
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { RateLimitSchema } from "../../gen/latchkey/v1/api_key_pb.ts";
import { EdgeSpendingSchema, type Slice } from "../../gen/latchkey/v1/edge_service_pb.ts";
import type { RateLimit } from "../../src/domain/limits/caps.ts";
import { edgeClient, followRaw, type RawFollower } from "../harness/edge-clients.ts";
import { EDGE_TOKEN } from "../harness/edges.ts";
import { type Latchkey, sharedLatchkey } from "../harness/latchkey.ts";

const LIMIT: RateLimit = { requestsPerMinute: 100, requestsPerHour: 0, burstSize: 1_000 };
const HUGE: RateLimit = { requestsPerMinute: 0, requestsPerHour: 1_000_000, burstSize: 0 };

let latchkey: Latchkey;
beforeAll(async () => {
  latchkey = await sharedLatchkey({ edgeTokens: [EDGE_TOKEN] });
});

/** A key's budget, of which 50 of 100 requests are spent, and an edge that says of it what the test wants. */
async function halfSpent() {
  const { key, key_id: budgetId } = await latchkey.createKey(await latchkey.dashboard(), {
    rate_limit: { requests_per_minute: 100, burst_size: 1_000 },
  });
  const edge = await followRaw(edgeClient(latchkey.url));
  let number = 0n;

  async function ask(asked: {
    limit?: RateLimit;
    spending?: MessageInitShape<typeof EdgeSpendingSchema>;
    most?: number;
    peek?: boolean;
  }): Promise<Slice> {
    const { limit = LIMIT, spending = {}, most = 0, peek = false } = asked;
    number += 1n;
    const value = { number, budgetId, limit: create(RateLimitSchema, limit), most, peek };
    edge.send({ case: "askSlice", value: { ...value, spending: create(EdgeSpendingSchema, spending) } });
    const slice = await edge.next("slice");
    if (slice?.number !== number) throw new Error("another answer");
    return slice;
  }
  const returned = (unspent: number, takenAtMs: bigint, limit = LIMIT) =>
    ({
      case: "returnSlice",
      value: { budgetId, limit: create(RateLimitSchema, limit), unspent, takenAtMs, shared: false },
    }) as const;
  const remaining = async (): Promise<number> => (await ask({ peek: true })).decision?.remaining ?? Number.NaN;

  expect((await ask({ spending: { cost: 50 } })).granted).toBe(50);
  return {
    edge,
    key,
    ask,
    remaining,
    slice: (limit?: RateLimit) => ask({ most: 5, ...(limit && { limit }) }),
    giveBack: (unspent: number, takenAtMs: bigint, limit?: RateLimit, by: RawFollower = edge) =>
      by.send(returned(unspent, takenAtMs, limit)),
  };
}

test("an edge gives back what it has not spent of a slice, also in parts", async () => {
  const { slice, giveBack, remaining } = await halfSpent();
  const { granted, takenAtMs } = await slice();
  expect([granted, await remaining()]).toEqual([5, 45]);
  giveBack(2, takenAtMs);
  await expect.poll(remaining).toBe(47);
  giveBack(3, takenAtMs);
  await expect.poll(remaining).toBe(50);
});

// threat: G8
describe("an edge that lies cannot fill a budget:", () => {
  type Budget = Awaited<ReturnType<typeof halfSpent>>;

  test.each<[string, (budget: Budget) => Promise<void>]>([
    ["more than its slice", async ({ slice, giveBack }) => giveBack(1_000, (await slice()).takenAtMs)],
    [
      "its slice twice",
      async ({ slice, giveBack }) => {
        const { takenAtMs } = await slice();
        for (let n = 0; n < 3; n++) giveBack(5, takenAtMs);
      },
    ],
    [
      "a slice that it never took",
      async ({ giveBack }) => {
        const nowMs = BigInt(latchkey.clock.now().getTime());
        for (const at of [nowMs, nowMs - 1n, 1n, 0n, -1n, 9_223_372_036_854_775_807n]) giveBack(50, at);
      },
    ],
    [
      "a slice under the limit that has not counted it",
      async ({ slice, giveBack, ask }) => {
        const { granted, takenAtMs } = await ask({ limit: HUGE, most: 50 });
        expect(granted).toBe(50);
        giveBack(50, takenAtMs);
        giveBack(50, takenAtMs, HUGE);
        giveBack(5, (await slice()).takenAtMs);
      },
    ],
    [
      "requests of a negative cost, and a slice of them",
      async ({ ask }) => {
        expect((await ask({ spending: { cost: -50 } })).decision).toBeUndefined();
        expect((await ask({ most: -50 })).decision).toBeUndefined();
        expect((await ask({ limit: { ...LIMIT, requestsPerMinute: -1 } })).decision).toBeUndefined();
      },
    ],
  ])("%s", async (_, lie) => {
    const budget = await halfSpent();
    await lie(budget);
    // What is given back has no answer; what it took itself comes back.
    await expect.poll(budget.remaining).toBe(50);
    // A request of the service after all of it.
    const { headers } = await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": budget.key });
    expect(headers.get("x-ratelimit-remaining")).toBe("49");
  });

  test("with slices of a window that has ended", async () => {
    const { slice, giveBack, ask, remaining } = await halfSpent();
    const { takenAtMs: before } = await slice();
    latchkey.clock.advance(60_000);
    expect((await ask({ spending: { cost: 90 } })).granted).toBe(90);
    const { granted, takenAtMs } = await slice();
    expect(granted).toBe(1);
    giveBack(90, before);
    giveBack(90, takenAtMs);
    await expect.poll(remaining).toBe(10);
    const after = await slice();
    giveBack(90, after.takenAtMs);
    await expect.poll(remaining).toBe(10);
  });
});

// threat: G8
test("an edge that moves loses what another stream has granted it: its requests stay counted", async () => {
  const { slice, giveBack, remaining } = await halfSpent();
  const { takenAtMs } = await slice();
  const moved = await followRaw(edgeClient(latchkey.url));
  giveBack(5, takenAtMs, LIMIT, moved);
  // Its stream keeps the order: it was read before this is answered.
  moved.send({ case: "askLease", value: { number: 7n } });
  while ((await moved.next("lease"))?.number !== 7n);
  expect(await remaining()).toBe(45);
  giveBack(5, takenAtMs);
  await expect.poll(remaining).toBe(50);
});
