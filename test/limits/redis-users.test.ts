// promise: limits.user-memory
import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { RateLimit } from "../../src/domain/limits/caps.ts";
import { createRedisLimiter } from "../../src/store/limits/redis-limiter.ts";
import { tenantUsersName, usersName } from "../../src/store/redis/redis-names.ts";
import { START_MS } from "./arbitraries.ts";

const HOUR_MS = 3_600_000;
const ONCE = { requestsPerMinute: 0, requestsPerHour: 1, burstSize: 0 };
const LIMIT: RateLimit = { requestsPerMinute: 0, requestsPerHour: 1_000, burstSize: 0, perUser: ONCE };

let redis: Redis;

beforeAll(() => {
  redis = new Redis(inject("redisUrl"));
});
afterAll(() => redis.disconnect());

const newKeyId = () => `key_${randomUUID()}`;
const newTenant = () => randomUUID().slice(0, 22);
const usersOf = (count: number) => Array.from({ length: count }, (_, n) => `u${n}`);

/** A limiter on a clock of its own, and the names of users' budgets that Redis has of a key. */
function bench(usersMax?: { ofKey: number; ofTenant: number }) {
  const clock = { nowMs: START_MS };
  const limiter = createRedisLimiter(redis, { now: () => new Date(clock.nowMs), ...(usersMax && { usersMax }) });
  return {
    clock,
    async kinds(keyId: string, tenant: string, users: readonly string[], limit = LIMIT) {
      const kinds: string[] = [];
      for (const user of users) kinds.push((await limiter.take(keyId, limit, { user, tenant })).kind);
      return kinds;
    },
    async stored(keyId: string) {
      return (await redis.keys(`*${keyId}:u*`)).filter((name) => !name.endsWith(":users")).length;
    },
  };
}

test("a key's users are exact up to the bound, and further ones have only the key's budget and take no memory", async () => {
  const { clock, kinds, stored } = bench({ ofKey: 5, ofTenant: 100 });
  const [keyId, tenant] = [newKeyId(), newTenant()];
  const first = usersOf(5);
  expect(new Set(await kinds(keyId, tenant, first))).toEqual(new Set(["allow"]));
  const further = usersOf(50).slice(5);
  expect(new Set(await kinds(keyId, tenant, [...further, ...further]))).toEqual(new Set(["allow"]));
  expect(await stored(keyId)).toBe(5);
  expect(new Set(await kinds(keyId, tenant, first))).toEqual(new Set(["deny"]));
  // The key's own budget holds for all of them.
  expect(new Set(await kinds(keyId, tenant, ["u7"], { ...LIMIT, requestsPerHour: 95 }))).toEqual(new Set(["deny"]));
  // Another window has room for others.
  clock.nowMs += HOUR_MS;
  expect(await kinds(keyId, tenant, ["u40", "u40"])).toEqual(["allow", "deny"]);
});

test("a tenant's keys share a bound, which other tenants do not", async () => {
  const { kinds, stored } = bench({ ofKey: 5, ofTenant: 8 });
  const [one, two, other, tenant] = [newKeyId(), newKeyId(), newKeyId(), newTenant()];
  await kinds(one, tenant, usersOf(5));
  await kinds(two, tenant, usersOf(5));
  expect([await stored(one), await stored(two)]).toEqual([5, 3]);
  expect(await kinds(two, tenant, ["u0", "u4"])).toEqual(["deny", "allow"]);
  await kinds(other, newTenant(), usersOf(5));
  expect(await stored(other)).toBe(5);
});

test("users of denied requests keep no other user out", async () => {
  const { kinds } = bench({ ofKey: 2, ofTenant: 2 });
  const [keyId, tenant] = [newKeyId(), newTenant()];
  const full = { ...LIMIT, requestsPerHour: 1 };
  expect(await kinds(keyId, tenant, usersOf(9), full)).toEqual(["allow", ...Array(8).fill("deny")]);
  expect(await kinds(keyId, tenant, ["real", "real"])).toEqual(["allow", "deny"]);
});

test("a user who goes on calling counts in each window, however long budgets live", async () => {
  const { clock, kinds, stored } = bench({ ofKey: 3, ofTenant: 100 });
  const [keyId, tenant] = [newKeyId(), newTenant()];
  // A bucket that takes ten hours to fill: its window is as long.
  const slow = { ...LIMIT, perUser: { requestsPerMinute: 0, requestsPerHour: 1, burstSize: 10 } };
  for (let hour = 0; hour < 10; hour++) {
    await kinds(keyId, tenant, [`u${hour}`, "u0"], slow);
    clock.nowMs += HOUR_MS - 1;
  }
  expect(await stored(keyId)).toBe(3);
  // Shorter ones do not end the window of the longer ones.
  await kinds(keyId, tenant, usersOf(30).slice(20));
  expect(await stored(keyId)).toBe(3);
});

test.each([
  ["a key has 100,000", 100_000, (keyId: string, _: string) => usersName(keyId)],
  ["a tenant has 200,000", 200_000, (_: string, tenant: string) => tenantUsersName("", tenant)],
])("%s", async (_, most, nameOf) => {
  const { kinds, stored } = bench();
  const [keyId, tenant] = [newKeyId(), newTenant()];
  const window = Buffer.alloc(24);
  window.writeDoubleLE(START_MS, 0);
  window.writeDoubleLE(HOUR_MS, 8);
  window.writeDoubleLE(most - 1, 16);
  await redis.set(nameOf(keyId, tenant), window);
  expect(await kinds(keyId, tenant, ["u1", "u1", "u2", "u2"])).toEqual(["allow", "deny", "allow", "allow"]);
  expect(await stored(keyId)).toBe(1);
});

test("the windows expire with the budgets", async () => {
  const [keyId, tenant] = [newKeyId(), newTenant()];
  await createRedisLimiter(redis).take(keyId, LIMIT, { user: "u", tenant });
  for (const name of [usersName(keyId), tenantUsersName("", tenant)]) {
    const expiryMs = await redis.pttl(name);
    expect(expiryMs).toBeGreaterThan(HOUR_MS - 30_000);
    expect(expiryMs).toBeLessThanOrEqual(HOUR_MS);
  }
});
