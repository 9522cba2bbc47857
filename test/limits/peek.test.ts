import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { isUnlimited } from "../../src/domain/limits/budget.ts";
import type { RateLimit } from "../../src/domain/limits/caps.ts";
import type { LimitDecision, PeekedLimit } from "../../src/domain/limits/decision.ts";
import type { Limiter } from "../../src/domain/limits/limiter.ts";
import type { Clock } from "../../src/domain/vocabulary/clock.ts";
import { createMemoryLimiter } from "../../src/store/limits/memory-limiter.ts";
import { createRedisLimiter } from "../../src/store/limits/redis-limiter.ts";
import { anyLimit, pauseMs, START_MS, stepBackMs } from "./arbitraries.ts";

let redis: Redis;

beforeAll(() => {
  redis = new Redis(inject("redisUrl"));
});

afterAll(() => redis.disconnect());

const IMPLEMENTATIONS: readonly { name: string; runs: number; create(clock: Clock): Limiter }[] = [
  { name: "in memory", runs: 500, create: (clock) => createMemoryLimiter(clock) },
  { name: "in Redis", runs: 150, create: (clock) => createRedisLimiter(redis, { now: clock }) },
];

/** Requests of one key: the pause before each, the number of peeks before it, and a changed limit. */
const requests = fc.array(
  fc.record({
    pause: fc.oneof({ weight: 9, arbitrary: pauseMs }, { weight: 1, arbitrary: stepBackMs }),
    looks: fc.integer({ min: 0, max: 3 }),
    changed: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: anyLimit }),
  }),
  { minLength: 1, maxLength: 40 },
);

describe.each(IMPLEMENTATIONS)("peeking at a budget $name", ({ runs, create }) => {
  test("changes no later decision, however often and whenever it is done", async () => {
    let nowMs = START_MS;
    const limiter = create(() => new Date(nowMs));
    const property = fc.asyncProperty(anyLimit, requests, async (first, run) => {
      const [watched, unwatched] = [newKeyId(), newKeyId()];
      let limit = first;
      nowMs = START_MS;
      for (const { pause, looks, changed } of run) {
        nowMs += pause;
        limit = changed ?? limit;
        for (let n = 0; n < looks; n++) await limiter.peek(watched, limit);
        expect(await limiter.take(watched, limit)).toEqual(await limiter.take(unwatched, limit));
      }
    });
    await fc.assert(property, { numRuns: runs });
  }, 120_000);

  test("predicts the next decision: a denial if none would be admitted at once, otherwise one remaining request more, or as many", async () => {
    let nowMs = START_MS;
    const limiter = create(() => new Date(nowMs));
    const property = fc.asyncProperty(anyLimit, requests, async (first, run) => {
      const keyId = newKeyId();
      let limit = first;
      nowMs = START_MS;
      for (const { pause, changed } of run) {
        nowMs += pause;
        limit = changed ?? limit;
        const seen = await limiter.peek(keyId, limit);
        expect(await limiter.peek(keyId, limit)).toEqual(seen);
        expectPredicted(seen, await limiter.take(keyId, limit), limit);
      }
    });
    await fc.assert(property, { numRuns: runs });
  }, 120_000);

  test("of a key never used shows it full, and leaves no trace", async () => {
    const limiter = create(() => new Date(START_MS));
    const keyId = newKeyId();
    const limit = { requestsPerMinute: 5, requestsPerHour: 3, burstSize: 9 };
    expect(await limiter.peek(keyId, limit)).toMatchObject({ limit: 3, remaining: 3 });
    expect(await redis.keys(`*${keyId}*`)).toEqual([]);
  });

  test("a thousand times at once, among takers, takes nothing from them", async () => {
    const limiter = create(() => new Date(START_MS));
    const keyId = newKeyId();
    const limit = { requestsPerMinute: 100, requestsPerHour: 0, burstSize: 0 };
    const calls = Array.from({ length: 1_000 }, async (_, n) => {
      if (n % 5 > 0) return { looked: await limiter.peek(keyId, limit) };
      return { took: await limiter.take(keyId, limit) };
    });
    const answers = await Promise.all(calls);
    expect(answers.filter(({ took }) => took?.kind === "allow")).toHaveLength(100);
    expect(answers.filter(({ took }) => took?.kind === "deny")).toHaveLength(100);
    for (const { looked } of answers) {
      if (looked !== undefined) expect(looked.remaining).toBeGreaterThanOrEqual(0);
    }
  });
});

test("peeking does not keep an idle key's state alive", async () => {
  const limiter = createRedisLimiter(redis);
  const keyId = newKeyId();
  const limit = { requestsPerMinute: 5, requestsPerHour: 0, burstSize: 0 };
  await limiter.take(keyId, limit);
  const [name = ""] = await redis.keys(`*${keyId}`);
  await redis.pexpire(name, 5_000);
  await limiter.peek(keyId, limit);
  expect(await redis.pttl(name)).toBeLessThanOrEqual(5_000);
});

function expectPredicted(seen: PeekedLimit, decision: LimitDecision, limit: RateLimit): void {
  expect(seen.limit).toBe(decision.limit);
  expect(decision.resetAt.getTime()).toBeGreaterThanOrEqual(seen.resetAt.getTime());
  expect(seen.atOnce === 0).toBe(decision.kind === "deny");
  if (decision.kind === "allow") expect(seen.remaining).toBe(decision.remaining + (isUnlimited(limit) ? 0 : 1));
}

function newKeyId(): string {
  return `key_${randomUUID()}`;
}
