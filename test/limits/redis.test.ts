// promise: limits.per-user, limits.user-denied, limits.user-memory
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { idleAtMs, isUnlimited, type LimiterState } from "../../src/domain/limits/budget.ts";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import { createRedisLimiter } from "../../src/store/limits/redis-limiter.ts";
import { startOwnRedis } from "../servers/redis.ts";
import { anyLimit, pauseMs, START_MS, stepBackMs } from "./arbitraries.ts";
import { peek, take } from "./one-budget.ts";
import { PlainLimiter } from "./plain-limiter.ts";
import { anyRequest, anyUserLimit } from "./user-arbitraries.ts";
import { replay, vectors } from "./vectors.ts";

/** With a test's clock, a budget's state lives longer by so much of Redis' own time (see `take.lua.ts`). */
const GRACE_MS = 3_600_000;
/** How late a busy machine may read an expiry. */
const SLACK_MS = 30_000;

const url = inject("redisUrl");
let redis: Redis;

beforeAll(() => {
  redis = new Redis(url);
});

afterAll(() => redis.disconnect());

describe("the Lua script decides as the pure function does", () => {
  test.each(vectors)("$name", async (vector) => {
    const keyId = newKeyId();
    let now = new Date(0);
    const limiter = createRedisLimiter(redis, { now: () => now });
    await replay(vector, (limit, at, spending) => {
      now = at;
      return limiter.take(keyId, limit, spending);
    });
  });

  test("call by call and peek by peek, for changing limits and a clock that also steps back, with the expiry", async () => {
    const steps = fc.array(
      fc.tuple(
        fc.oneof({ weight: 9, arbitrary: pauseMs }, { weight: 1, arbitrary: stepBackMs }),
        fc.integer({ min: 1, max: 5 }),
        // Mostly the limit stays the same: undefined.
        fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: anyLimit }),
      ),
      { minLength: 1, maxLength: 25 },
    );
    let nowMs = START_MS;
    const limiter = createRedisLimiter(redis, { now: () => new Date(nowMs) });

    const property = fc.asyncProperty(anyLimit, steps, async (first, run) => {
      const keyId = newKeyId();
      let state: LimiterState | undefined;
      let limit = first;
      nowMs = START_MS;
      for (const [pause, times, changed] of run) {
        nowMs += pause;
        limit = changed ?? limit;
        for (let n = 0; n < times; n++) {
          expect(await limiter.peek(keyId, limit)).toEqual(peek(state, limit, nowMs));
          const pure = take(state, limit, nowMs);
          if (!isUnlimited(limit)) state = pure.state;
          expect(await limiter.take(keyId, limit)).toEqual(pure.decision);
        }
        if (state === undefined || isUnlimited(limit)) continue;
        const idleMs = idleAtMs(state, limit) - nowMs + GRACE_MS;
        const expiryMs = await redis.pttl(await keyOf(keyId));
        expect(expiryMs).toBeGreaterThan(idleMs - SLACK_MS);
        expect(expiryMs).toBeLessThanOrEqual(idleMs);
      }
    });
    await fc.assert(property, { numRuns: 300 });
  }, 120_000);

  test("for the budgets of users, for costs and for shared budgets, with the expiry of each", async () => {
    let nowMs = START_MS;
    const limiter = createRedisLimiter(redis, { now: () => new Date(nowMs) });
    const requests = fc.array(anyRequest, { minLength: 1, maxLength: 60 });
    const property = fc.asyncProperty(anyUserLimit, requests, async (first, run) => {
      const keyId = newKeyId();
      const plain = new PlainLimiter();
      let limit = first;
      nowMs = START_MS;
      for (const { pause, limit: changed, ...spending } of run) {
        nowMs += pause;
        limit = changed ?? limit;
        expect(await limiter.take(keyId, limit, spending)).toEqual(plain.take(limit, nowMs, spending));
        const state = spending.user === undefined ? undefined : plain.stateOf(spending.user);
        if (state?.atMs !== nowMs || limit.perUser === undefined || isUnlimited(limit.perUser)) continue;
        const idleMs = Math.max(1, idleAtMs(state, limit.perUser) - nowMs) + GRACE_MS;
        const expiryMs = await redis.pttl(await keyOf(`${keyId}:${spending.user}`));
        expect(expiryMs).toBeGreaterThan(idleMs - SLACK_MS);
        expect(expiryMs).toBeLessThanOrEqual(idleMs);
      }
    });
    await fc.assert(property, { numRuns: 300 });
  }, 120_000);

  // threat: L9
  test("the largest level and capacity are stored exactly", async () => {
    const keyId = newKeyId();
    const limit = { requestsPerMinute: 0, requestsPerHour: 2_147_483_647, burstSize: 2_147_483_647 };
    await createRedisLimiter(redis, { now: () => new Date(START_MS) }).take(keyId, limit);
    const state = await redis.getBuffer(await keyOf(keyId));
    expect(state?.readDoubleLE(40)).toBe(2_147_483_646 * 3_600_000);
    expect(state?.readDoubleLE(48)).toBe(2_147_483_647);
  });
});

describe("on Redis' own clock", () => {
  test("1,000 concurrent requests of ten users admit exactly the key's cap, and of each user at most the user's", async () => {
    const other = new Redis(url);
    const limiters = [createRedisLimiter(redis), createRedisLimiter(other)];
    const keyId = newKeyId();
    const perUser = { requestsPerMinute: 0, requestsPerHour: 12, burstSize: 0 };
    const limit = { requestsPerMinute: 0, requestsPerHour: 100, burstSize: 0, perUser };
    const takes = Array.from({ length: 1_000 }, async (_, n) => {
      const user = `u${n % 10}`;
      const decision = await (limiters[(n >> 4) % 2] ?? limiters[0])?.take(keyId, limit, { user });
      return { user, kind: decision?.kind };
    });
    const admitted = (await Promise.all(takes)).filter(({ kind }) => kind === "allow");
    other.disconnect();
    expect(admitted).toHaveLength(100);
    const counts = Object.values(Object.groupBy(admitted, ({ user }) => user)).map((all) => all?.length ?? 0);
    expect(Math.max(...counts)).toBeLessThanOrEqual(12);
  });

  test("a user's budget has the slot of the key's, and expires when it is full again", async () => {
    const keyId = newKeyId();
    const perUser = { requestsPerMinute: 60, requestsPerHour: 0, burstSize: 1 };
    await createRedisLimiter(redis).take(keyId, { ...perUser, requestsPerHour: 5, perUser }, { user: "u" });
    const name = await keyOf(`${keyId}:u`);
    expect(name).toBe(`${await keyOf(keyId)}:u`);
    const expiryMs = await redis.pttl(name);
    expect(expiryMs).toBeGreaterThan(60_000 - SLACK_MS);
    expect(expiryMs).toBeLessThanOrEqual(60_000);
  });

  test("of a key without a limit a user's budget is stored, and the key's is not", async () => {
    const keyId = newKeyId();
    const perUser = { requestsPerMinute: 1, requestsPerHour: 0, burstSize: 0 };
    const limit = { requestsPerMinute: 0, requestsPerHour: 0, burstSize: 0, perUser };
    const limiter = createRedisLimiter(redis);
    expect((await limiter.take(keyId, limit, { user: "u" })).kind).toBe("allow");
    expect(await limiter.take(keyId, limit, { user: "u" })).toMatchObject({ kind: "deny", scope: "user" });
    expect((await redis.keys(`*${keyId}*`)).toSorted()).toEqual([
      expect.stringMatching(/:u$/),
      expect.stringMatching(/:users$/),
    ]);
  });

  test("1,000 concurrent requests over two connections admit exactly the cap", async () => {
    const other = new Redis(url);
    const limiters = [createRedisLimiter(redis), createRedisLimiter(other)];
    const keyId = newKeyId();
    const limit = { requestsPerMinute: 0, requestsPerHour: 100, burstSize: 100 };
    const decisions = await Promise.all(
      Array.from({ length: 500 }, () => limiters.map((limiter) => limiter.take(keyId, limit))).flat(),
    );
    other.disconnect();
    const admitted = decisions.filter((decision) => decision.kind === "allow");
    expect(admitted).toHaveLength(100);
    expect(admitted.map((decision) => decision.remaining).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, remaining) => remaining),
    );
  });

  test("the window opens now, and the state expires when it ends", async () => {
    const keyId = newKeyId();
    const [seconds] = await redis.time();
    const decision = await createRedisLimiter(redis).take(keyId, {
      requestsPerMinute: 5,
      requestsPerHour: 0,
      burstSize: 0,
    });
    const waitMs = decision.resetAt.getTime() - Number(seconds) * 1_000;
    expect(waitMs).toBeGreaterThanOrEqual(60_000);
    expect(waitMs).toBeLessThanOrEqual(61_000 + SLACK_MS);
    const expiryMs = await redis.pttl(await keyOf(keyId));
    expect(expiryMs).toBeGreaterThan(60_000 - SLACK_MS);
    expect(expiryMs).toBeLessThanOrEqual(60_000);
  });

  test("an unlimited key stores nothing", async () => {
    const keyId = newKeyId();
    const unlimited = { requestsPerMinute: 0, requestsPerHour: 0, burstSize: 3 };
    expect((await createRedisLimiter(redis).take(keyId, unlimited)).kind).toBe("allow");
    expect(await redis.keys(`*${keyId}`)).toEqual([]);
  });

  test("a server that lost its scripts gets them again", async () => {
    const limiter = createRedisLimiter(redis);
    const keyId = newKeyId();
    const limit = { requestsPerMinute: 2, requestsPerHour: 0, burstSize: 0 };
    await limiter.take(keyId, limit);
    await redis.script("FLUSH");
    expect(await limiter.take(keyId, limit)).toMatchObject({ kind: "allow", remaining: 0 });
  });

  test("names in Redis have our prefix and a hash tag of two characters", async () => {
    const keyId = newKeyId();
    await createRedisLimiter(redis).take(keyId, { requestsPerMinute: 1, requestsPerHour: 0, burstSize: 0 });
    expect(await redis.keys(`*${keyId}`)).toEqual([expect.stringMatching(/^lk:\{[0-9a-f]{2}\}:rl:key_/)]);
  });

  test("a Redis that is away is an unavailable store", async () => {
    const gone = await startOwnRedis();
    const client = new Redis(gone.url, { maxRetriesPerRequest: 0, retryStrategy: () => null });
    client.on("error", () => undefined);
    await client.ping();
    await gone.stop();
    const limit = { requestsPerMinute: 1, requestsPerHour: 0, burstSize: 0 };
    await expect(createRedisLimiter(client).take(newKeyId(), limit)).rejects.toBeInstanceOf(StoreUnavailable);
    client.disconnect();
  });
});

function newKeyId(): string {
  return `key_${randomUUID()}`;
}

async function keyOf(keyId: string): Promise<string> {
  const [name] = await redis.keys(`*${keyId}`);
  if (name === undefined) throw new Error("The key has no state.");
  return name;
}
