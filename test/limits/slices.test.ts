import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { Redis } from "ioredis";
import { Registry } from "prom-client";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { idleAtMs, isUnlimited } from "../../src/domain/limits/budget.ts";
import { type Limiter, NEVER_GIVEN_BACK } from "../../src/domain/limits/limiter.ts";
import type { Clock } from "../../src/domain/vocabulary/clock.ts";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import { createLogger } from "../../src/observability/log/log.ts";
import { createMemoryLimiter } from "../../src/store/limits/memory-limiter.ts";
import { createRedisLimiter } from "../../src/store/limits/redis-limiter.ts";
import { connectSharedLimiter } from "../../src/store/limits/shared-limiter.ts";
import { budgetName } from "../../src/store/redis/redis-names.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { startOwnRedis } from "../servers/redis.ts";
import { START_MS } from "./arbitraries.ts";
import { PlainLimiter } from "./plain-limiter.ts";
import { anySlicedLimit, anyStep, cappedSlicedLimit, HeldSlices } from "./slice-arbitraries.ts";
import { spendAtOnce } from "./spend-at-once.ts";

/** With a test's clock, a budget's state lives longer by so much of Redis' own time (see `take.lua.ts`). */
const GRACE_MS = 3_600_000;
/** How late a busy machine may read an expiry. */
const SLACK_MS = 30_000;
const HOURLY = { requestsPerMinute: 0, requestsPerHour: 500, burstSize: 0 };

const url = inject("redisUrl");
let redis: Redis;

beforeAll(() => {
  redis = new Redis(url);
});

afterAll(() => redis.disconnect());

const steps = fc.array(anyStep, { minLength: 1, maxLength: 60 });

describe("requests, slices and what is given back are decided as by the pure function", () => {
  test("in Redis, step by step, for changing limits and a clock that also steps back, with the expiry", async () => {
    let nowMs = START_MS;
    const limiter = createRedisLimiter(redis, { now: () => new Date(nowMs) });
    const property = fc.asyncProperty(anySlicedLimit, steps, async (first, run) => {
      const keyId = newKeyId();
      const plain = new PlainLimiter();
      const held = new HeldSlices();
      let limit = first;
      nowMs = START_MS;
      for (const { pause, use, isShared, limit: changed } of run) {
        nowMs += pause;
        limit = changed ?? limit;
        if (use.kind === "take") {
          const spending = { cost: use.cost, isShared };
          expect(await limiter.take(keyId, limit, spending)).toEqual(plain.take(limit, nowMs, spending));
        } else if (use.kind === "slice") {
          const ask = { most: use.most, isShared };
          const slice = plain.slice(limit, nowMs, ask);
          expect(await limiter.slice(keyId, limit, ask)).toEqual(slice);
          held.add(slice);
        } else {
          const given = held.giveBack(use.of, use.part);
          if (given === undefined) continue;
          await limiter.giveBack(keyId, limit, { ...given, isShared });
          plain.giveBack(limit, nowMs, { ...given, isShared });
          // Nothing was stored: the expiry is still by the limit of before.
          if (given.takenAtMs > nowMs) continue;
        }
        const state = plain.stateOf();
        if (state?.atMs !== nowMs || isUnlimited(limit)) continue;
        const idleMs = Math.max(1, idleAtMs(state, limit) - nowMs) + GRACE_MS;
        const expiryMs = await redis.pttl(budgetName(keyId));
        expect(expiryMs).toBeGreaterThan(idleMs - SLACK_MS);
        expect(expiryMs).toBeLessThanOrEqual(idleMs);
      }
    });
    await fc.assert(property, { numRuns: 300 });
  }, 120_000);

  test("in Redis and in this process alike, as long as the limit stays the same", async () => {
    let nowMs = START_MS;
    const clock = () => new Date(nowMs);
    const [inRedis, inMemory] = [createRedisLimiter(redis, { now: clock }), createMemoryLimiter(clock)];
    const property = fc.asyncProperty(cappedSlicedLimit, steps, async (limit, run) => {
      const keyId = newKeyId();
      const held = new HeldSlices();
      for (const { pause, use, isShared } of run) {
        nowMs += Math.max(0, pause);
        if (use.kind === "take") {
          const spending = { cost: use.cost, isShared };
          expect(await inRedis.take(keyId, limit, spending)).toEqual(await inMemory.take(keyId, limit, spending));
        } else if (use.kind === "slice") {
          const slice = await inMemory.slice(keyId, limit, { most: use.most, isShared });
          expect(await inRedis.slice(keyId, limit, { most: use.most, isShared })).toEqual(slice);
          held.add(slice);
        } else {
          const given = held.giveBack(use.of, use.part);
          if (given !== undefined) for (const one of [inRedis, inMemory]) await one.giveBack(keyId, limit, given);
        }
        expect(await inRedis.peek(keyId, limit)).toEqual(await inMemory.peek(keyId, limit));
      }
    });
    await fc.assert(property, { numRuns: 200 });
  }, 120_000);
});

const IMPLEMENTATIONS: readonly { name: string; create(clock?: Clock): Limiter }[] = [
  { name: "in memory", create: (clock = () => new Date(START_MS)) => createMemoryLimiter(clock) },
  { name: "in Redis", create: (clock = () => new Date(START_MS)) => createRedisLimiter(redis, { now: clock }) },
];

describe.each(IMPLEMENTATIONS)("a slice $name", ({ create }) => {
  test("of a budget that is used up is the denial of a request", async () => {
    const limiter = create();
    const keyId = newKeyId();
    for (let n = 0; n < 500; n++) await limiter.take(keyId, HOURLY);
    const denial = await limiter.take(keyId, HOURLY);
    expect(denial.kind).toBe("deny");
    expect(await limiter.slice(keyId, HOURLY, { most: 9 })).toMatchObject({ granted: 0, lifeMs: 0, decision: denial });
    expect(await limiter.take(keyId, HOURLY)).toEqual(denial);
  });

  test("that comes back to a bucket that is full again does not overfill it for the other key of the budget", async () => {
    let nowMs = START_MS;
    const limiter = create(() => new Date(nowMs));
    const keyId = newKeyId();
    const small = { requestsPerMinute: 600, requestsPerHour: 0, burstSize: 100 };
    const { granted, takenAtMs } = await limiter.slice(keyId, small, { most: 50, isShared: true });
    expect(granted).toBe(10);
    // A request that is not given back: the window stays open.
    await limiter.take(keyId, small, { isShared: true });
    nowMs += 2_000;
    await limiter.giveBack(keyId, small, { unspent: granted, takenAtMs, isShared: true });
    expect(await limiter.peek(keyId, { ...small, burstSize: 200 }, { isShared: true })).toMatchObject({ atOnce: 100 });
  });

  test("of a key without a limit has no end, and stores nothing", async () => {
    const limiter = create();
    const keyId = newKeyId();
    const unlimited = { requestsPerMinute: 0, requestsPerHour: 0, burstSize: 3, perUser: HOURLY };
    const slice = await limiter.slice(keyId, unlimited, { most: 700 });
    expect(slice).toMatchObject({ granted: 700, lifeMs: Number.POSITIVE_INFINITY, takenAtMs: NEVER_GIVEN_BACK });
    expect(slice.decision).toEqual(await limiter.take(keyId, unlimited));
    await limiter.giveBack(keyId, unlimited, { unspent: 700, takenAtMs: slice.takenAtMs });
    expect(await redis.keys(`*${keyId}*`)).toEqual([]);
  });
});

describe("on Redis' own clock", () => {
  test("1,000 concurrent requests and slices over two connections admit exactly the cap, also where slices come back", async () => {
    const other = new Redis(url);
    onTestFinished(() => other.disconnect());
    const limiters = [createRedisLimiter(redis), createRedisLimiter(other)];
    expect(await spendAtOnce(limiters, newKeyId(), HOURLY)).toBe(HOURLY.requestsPerHour);
  });

  test("a slice is taken now, lives until its window ends, and leaves nothing where all of it came back", async () => {
    const limiter = createRedisLimiter(redis);
    const keyId = newKeyId();
    const [seconds = 0] = await redis.time();
    const { granted, takenAtMs, lifeMs } = await limiter.slice(keyId, HOURLY, { most: 7 });
    expect({ granted, lifeMs }).toEqual({ granted: 7, lifeMs: 3_600_000 });
    expect(takenAtMs).toBeGreaterThanOrEqual(Number(seconds) * 1_000);
    await limiter.giveBack(keyId, HOURLY, { unspent: 7, takenAtMs });
    expect(await limiter.peek(keyId, HOURLY)).toMatchObject({ remaining: 500 });
    await expect.poll(() => redis.exists(budgetName(keyId))).toBe(0);
  });

  test("giving back to a budget that Redis has lost writes nothing", async () => {
    const limiter = createRedisLimiter(redis);
    const keyId = newKeyId();
    const { takenAtMs } = await limiter.slice(keyId, HOURLY, { most: 7 });
    await redis.del(budgetName(keyId));
    await limiter.giveBack(keyId, HOURLY, { unspent: 7, takenAtMs });
    expect(await redis.exists(budgetName(keyId))).toBe(0);
  });

  test("a server that lost its scripts gets them again", async () => {
    const limiter = createRedisLimiter(redis);
    const keyId = newKeyId();
    const { takenAtMs } = await limiter.slice(keyId, HOURLY, { most: 7 });
    await redis.script("FLUSH");
    await limiter.giveBack(keyId, HOURLY, { unspent: 3, takenAtMs });
    await redis.script("FLUSH");
    expect(await limiter.slice(keyId, HOURLY, { most: 1 })).toMatchObject({ decision: { remaining: 495 } });
  });

  test("a Redis that is away is an unavailable store", async () => {
    const gone = await startOwnRedis();
    const client = new Redis(gone.url, { maxRetriesPerRequest: 0, retryStrategy: () => null });
    client.on("error", () => undefined);
    await client.ping();
    await gone.stop();
    const limiter = createRedisLimiter(client);
    await expect(limiter.slice(newKeyId(), HOURLY, { most: 1 })).rejects.toBeInstanceOf(StoreUnavailable);
    const given = { unspent: 1, takenAtMs: START_MS };
    await expect(limiter.giveBack(newKeyId(), HOURLY, given)).rejects.toBeInstanceOf(StoreUnavailable);
    client.disconnect();
  });
});

test("while Redis is away slices come from the replica's own budget, and what comes back then, or of them later, is lost", async () => {
  const server = await startOwnRedis();
  const log = createLogger("info", () => {});
  const context = {
    log,
    error: () => {},
    warn: () => {},
    metrics: new Registry(),
    redisClock: undefined,
    redisTimeoutMs: 1_000,
  };
  const { limiter, close } = await connectSharedLimiter(redisAt(server.url), { ...context, clock: () => new Date() });
  onTestFinished(close);
  const keyId = newKeyId();
  const limit = { ...HOURLY, burstSize: 200 };
  const slice = (most: number) => limiter.slice(keyId, limit, { most });

  const before = await slice(20);
  expect(before).toMatchObject({ granted: 20, decision: { remaining: 480 } });
  expect(before.takenAtMs).not.toBe(NEVER_GIVEN_BACK);
  await server.stop();
  const own = await slice(20);
  expect(own).toMatchObject({ granted: 20, takenAtMs: NEVER_GIVEN_BACK, decision: { remaining: 480 } });
  await limiter.giveBack(keyId, limit, { unspent: 20, takenAtMs: before.takenAtMs });
  await limiter.giveBack(keyId, limit, { unspent: 20, takenAtMs: own.takenAtMs });
  expect(await slice(1)).toMatchObject({ decision: { remaining: 479 } });

  const back = await startOwnRedis({ port: server.port });
  onTestFinished(() => back.stop());
  // Another budget, for the wait: the one of the test stays as it is.
  const other = newKeyId();
  await expect.poll(async () => (await limiter.slice(other, HOURLY, { most: 1 })).takenAtMs).not.toBe(NEVER_GIVEN_BACK);
  expect(await slice(20)).toMatchObject({ granted: 20, decision: { remaining: 480 } });
  await limiter.giveBack(keyId, limit, { unspent: 20, takenAtMs: own.takenAtMs });
  const { remaining, atOnce } = await limiter.peek(keyId, limit);
  expect(remaining).toBe(480);
  // A token comes in 7 s. All of the slice would have filled the bucket.
  expect(atOnce).toBeLessThan(200);
});

function newKeyId(): string {
  return `key_${randomUUID()}`;
}
