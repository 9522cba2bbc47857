import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { KeyRecord, NewKey } from "../../src/domain/keys/key.ts";
import { spendsOnSight } from "../../src/domain/keys/status.ts";
import { isUnlimited, type LimiterState, take } from "../../src/domain/limits/budget.ts";
import { StoreUnavailable } from "../../src/domain/store-unavailable.ts";
import {
  type CachedKeyRecords,
  createCachedKeyRecords,
  FRESH_MS,
  LEASE_MS,
} from "../../src/store/redis/key-records.ts";
import { namesOf } from "../../src/store/redis/redis-names.ts";
import { anyLimit, pauseMs, START_MS } from "../limits/arbitraries.ts";
import { NOW, newKey } from "../store/records.ts";
import { cacheRecord, leaseIn } from "./cache-record.ts";

let redis: Redis;
let cachedKeys: CachedKeyRecords;

beforeAll(() => {
  redis = new Redis(inject("redisUrl"));
  cachedKeys = createCachedKeyRecords(redis);
});

afterAll(() => redis.disconnect());

function names(key: NewKey) {
  return namesOf(key.secretHash);
}

async function leaseOf(key: NewKey): Promise<string> {
  const lookUp = await cachedKeys.lookUp(key.secretHash, false);
  if (lookUp.found) throw new Error("there is an entry");
  return lookUp.lease;
}

async function isCached(key: NewKey): Promise<boolean> {
  return (await cachedKeys.lookUp(key.secretHash, false)).found;
}

async function cache(key: NewKey): Promise<void> {
  await cachedKeys.store(key.secretHash, key.record, await leaseOf(key), false);
}

test("the records in memory are bounded in bytes, and the one that was read longest ago is evicted first", async () => {
  const own = createCachedKeyRecords(redis, { recordsBytesMax: 100_000 });
  const read = async (key: NewKey): Promise<void> => {
    const lookUp = await own.lookUp(key.secretHash, false);
    if (!lookUp.found) await own.store(key.secretHash, key.record, lookUp.lease, false);
  };
  const inMemory = (keys: readonly NewKey[]) => keys.filter(({ secretHash }) => own.recall(secretHash)).length;
  const small = Array.from({ length: 30 }, () => newKey());
  for (const key of small) await read(key);
  expect(inMemory(small)).toBe(30);
  const large = Array.from({ length: 5 }, () => newKey({ description: "x".repeat(30_000) }));
  for (const key of large) await read(key);
  expect(inMemory(large)).toBe(3);
  expect(inMemory(large.slice(2))).toBe(3);
  expect(inMemory(small)).toBeLessThan(5);
  // The same for records that were read from Redis, not stored there by this process.
  const reader = createCachedKeyRecords(redis, { recordsBytesMax: 100_000 });
  for (const { secretHash } of large) expect((await reader.lookUp(secretHash, false)).found).toBe(true);
  expect(large.filter(({ secretHash }) => reader.recall(secretHash))).toHaveLength(3);
});

test("with the circuit breaker open, a change sends no mark before its commit, but still removes the entry after it", async () => {
  const key = newKey();
  await cache(key);
  const away = createCachedKeyRecords(redis, {
    run: () => Promise.reject(new StoreUnavailable("the breaker is open")),
  });
  await expect(away.beginChange(key.secretHash, "token")).rejects.toThrow(StoreUnavailable);
  expect(await redis.exists(names(key).guard)).toBe(0);
  expect(await isCached(key)).toBe(true);
  await away.endChange(key.secretHash, "token");
  expect(await isCached(key)).toBe(false);
});

describe("an entry", () => {
  const everyField: Partial<KeyRecord> = {
    type: "publishable",
    description: 'ü\u2028"',
    rateLimit: { requestsPerMinute: 1, requestsPerHour: 2, burstSize: 3 },
    oidc: {
      issuer: "https://idp.example",
      jwksUrl: "https://idp.example/jwks",
      audience: "app",
      userIdClaim: "sub",
      requiredClaims: { createdAt: "not a date", __proto__: "x" },
    },
    expiresAt: new Date("9998-12-31T23:59:59.999Z"),
    disabledAt: NOW,
    revokedAt: NOW,
    rotatedTo: "key_b",
    rotatedFrom: "key_a",
  };

  test.each([
    ["with every field", everyField],
    ["with the fewest", {}],
  ])("contains the record, %s", async (_, fields) => {
    const key = newKey(fields);
    await cache(key);
    const lookUp = await cachedKeys.lookUp(key.secretHash, false);
    expect(lookUp).toMatchObject({ found: true, key: key.record, decision: null });
  });

  test("returns the time of Redis, not of the process", async () => {
    const key = newKey();
    await cache(key);
    const [seconds] = await redis.time();
    const lookUp = await cachedKeys.lookUp(key.secretHash, false);
    expect(lookUp.found && Math.abs(lookUp.at.getTime() / 1_000 - Number(seconds))).toBeLessThan(5);
  });

  test("lives for five seconds from when it was stored, however often it is read", async () => {
    const key = newKey();
    await cache(key);
    await redis.pexpire(names(key).record, 5_000);
    await cachedKeys.lookUp(key.secretHash, true);
    expect(await redis.pttl(names(key).record)).toBeLessThanOrEqual(5_000);
    const fresh = newKey();
    await cache(fresh);
    expect(await redis.pttl(names(fresh).record)).toBeLessThanOrEqual(FRESH_MS);
    expect(await redis.pttl(names(fresh).record)).toBeGreaterThan(FRESH_MS - 4_000);
  });

  test("uses three names in Redis, all of which expire", async () => {
    const key = newKey({ rateLimit: { requestsPerMinute: 5, requestsPerHour: 0, burstSize: 0 } });
    await cache(key);
    await cachedKeys.lookUp(key.secretHash, true);
    await cachedKeys.beginChange(key.secretHash, "token");
    await cache(key).catch(() => {});
    const found = await redis.keys(`*${key.secretHash}*`);
    expect(found.length).toBeGreaterThan(0);
    for (const name of found) {
      expect(Object.values(names(key))).toContain(name);
      expect(await redis.pttl(name)).toBeGreaterThan(0);
    }
  });
});

describe("a record in the memory of this process", () => {
  test("is not sent again while the entry is the same one", async () => {
    const key = newKey();
    await cache(key);
    // No other process could still parse it.
    await redis.hset(names(key).record, "v3", "x");
    expect(await cachedKeys.lookUp(key.secretHash, false)).toMatchObject({ found: true, key: key.record });
  });

  test("is not used for another entry", async () => {
    const key = newKey();
    await cache(key);
    const changed = { ...key.record, name: "changed" };
    await cachedKeys.endChange(key.secretHash, "token");
    const other = createCachedKeyRecords(redis);
    const lookUp = await other.lookUp(key.secretHash, false);
    await other.store(key.secretHash, changed, leaseIn(lookUp), false);
    expect(await cachedKeys.lookUp(key.secretHash, false)).toMatchObject({ found: true, key: changed });
  });

  test("is not used if there is no entry", async () => {
    const key = newKey();
    await cache(key);
    await cachedKeys.endChange(key.secretHash, "token");
    expect(await isCached(key)).toBe(false);
  });
});

describe("a publishable key's request", () => {
  const LIMITED = {
    type: "publishable",
    rateLimit: { requestsPerMinute: 5, requestsPerHour: 0, burstSize: 0 },
  } as const;

  async function known(key: NewKey): Promise<KeyRecord> {
    await cache(key);
    const record = cachedKeys.recall(key.secretHash);
    if (record === undefined) throw new Error("the record is not known");
    return record;
  }

  test("is spent with the look-up if its user was authenticated with the entry that is there", async () => {
    const key = newKey(LIMITED);
    const lookUp = await cachedKeys.lookUp(key.secretHash, true, await known(key));
    expect(lookUp).toMatchObject({ found: true, decision: { kind: "allow", limit: 5, remaining: 4 } });
  });

  test("is not spent if no user was authenticated, or one with another record object than that in memory", async () => {
    const key = newKey(LIMITED);
    await known(key);
    for (const checkedWith of [undefined, { ...key.record }]) {
      expect(await cachedKeys.lookUp(key.secretHash, true, checkedWith)).toMatchObject({ found: true, decision: null });
    }
  });

  test("is not spent if there is another entry by now", async () => {
    const key = newKey(LIMITED);
    const checkedWith = await known(key);
    await cachedKeys.endChange(key.secretHash, "token");
    const other = createCachedKeyRecords(redis);
    await cacheRecord(other, key);
    expect(await cachedKeys.lookUp(key.secretHash, true, checkedWith)).toMatchObject({ found: true, decision: null });
  });

  test("is not spent if the key is disabled", async () => {
    const key = newKey({ ...LIMITED, disabledAt: NOW });
    expect(await cachedKeys.lookUp(key.secretHash, true, await known(key))).toMatchObject({
      found: true,
      decision: null,
    });
  });
});

describe("a lease", () => {
  test("is given to the first reader that finds no entry, until it expires or is used", async () => {
    const key = newKey();
    const lease = await leaseOf(key);
    expect(lease).not.toBe("");
    expect(await leaseOf(key)).toBe("");
    const ttl = await redis.pttl(names(key).guard);
    expect(ttl).toBeGreaterThan(0);
    expect(ttl).toBeLessThanOrEqual(LEASE_MS);
    await cachedKeys.store(key.secretHash, key.record, lease, false);
    expect(await isCached(key)).toBe(true);
    expect(await redis.exists(names(key).guard)).toBe(0);
  });

  test.each([
    ["of another reader", async () => "c29tZWJvZHkh"],
    ["that is empty", async () => ""],
  ])("%s stores no entry", async (_, lease) => {
    const key = newKey();
    await leaseOf(key);
    await cachedKeys.store(key.secretHash, key.record, await lease(), false);
    expect(await isCached(key)).toBe(false);
  });

  test("that expired stores no entry", async () => {
    const key = newKey();
    const lease = await leaseOf(key);
    await redis.del(names(key).guard);
    await cachedKeys.store(key.secretHash, key.record, lease, false);
    expect(await isCached(key)).toBe(false);
  });

  test("that expired and was given to another reader stores no entry either", async () => {
    const key = newKey();
    const slow = await leaseOf(key);
    await redis.del(names(key).guard);
    const next = await leaseOf(key);
    await cachedKeys.store(key.secretHash, key.record, slow, false);
    expect(await isCached(key)).toBe(false);
    await cachedKeys.store(key.secretHash, key.record, next, false);
    expect(await isCached(key)).toBe(true);
  });

  test.each(["beginChange", "endChange"] as const)("is lost to %s", async (step) => {
    const key = newKey();
    const lease = await leaseOf(key);
    await cachedKeys[step](key.secretHash, "token");
    await cachedKeys.store(key.secretHash, key.record, lease, false);
    expect(await isCached(key)).toBe(false);
  });
});

describe("a change", () => {
  test("removes the entry when it begins, and none is stored until it ends", async () => {
    const key = newKey();
    await cache(key);
    await cachedKeys.beginChange(key.secretHash, "token");
    expect(await leaseOf(key)).toBe("");
    await cachedKeys.store(key.secretHash, key.record, "", false);
    expect(await isCached(key)).toBe(false);
    await cachedKeys.endChange(key.secretHash, "token");
    await cache(key);
    expect(await isCached(key)).toBe(true);
  });

  test("leaves the mark of a later change in place when it ends", async () => {
    const key = newKey();
    await cachedKeys.beginChange(key.secretHash, "first");
    await cachedKeys.beginChange(key.secretHash, "second");
    await cachedKeys.endChange(key.secretHash, "first");
    expect(await leaseOf(key)).toBe("");
    await cachedKeys.endChange(key.secretHash, "second");
    expect(await leaseOf(key)).not.toBe("");
  });

  test("removes the entry also if it ends without having begun", async () => {
    const key = newKey();
    await cache(key);
    await cachedKeys.endChange(key.secretHash, "token");
    expect(await isCached(key)).toBe(false);
  });

  test("that never ends keeps the key out of the cache for a minute, no longer", async () => {
    const key = newKey();
    await cachedKeys.beginChange(key.secretHash, "token");
    const ttl = await redis.pttl(names(key).guard);
    expect(ttl).toBeGreaterThan(50_000);
    expect(ttl).toBeLessThanOrEqual(60_000);
  });
});

describe("an entry that is not ours is not used", () => {
  test.each([
    ["of another server's history", ["HSET", "history", "0".repeat(40)]],
    ["of another version", ["HDEL", "v3"]],
    ["that is no record", ["HSET", "v3", "{}"]],
    ["that is no JSON", ["HSET", "v3", "x"]],
    ["of another type", ["SET", "x"]],
  ] as const)("an entry %s", async (_, [command, ...args]) => {
    const key = newKey();
    await cache(key);
    await redis.call(command, names(key).record, ...args);
    // As another replica, because this one has the record in memory and does not read it again.
    expect((await createCachedKeyRecords(redis).lookUp(key.secretHash, false)).found).toBe(false);
    await redis.del(names(key).record, names(key).guard);
    await cache(key);
    expect(await isCached(key)).toBe(true);
  });

  test("a lease of another server's history", async () => {
    const key = newKey();
    const lease = await leaseOf(key);
    await redis.set(names(key).guard, `lease:${lease}:${"0".repeat(40)}`, "PX", 1_000);
    await cachedKeys.store(key.secretHash, key.record, lease, false);
    expect(await isCached(key)).toBe(false);
  });

  test("a guard of another type is no lease, and a change removes it", async () => {
    const key = newKey();
    await redis.lpush(names(key).guard, "x");
    expect(await leaseOf(key)).toBe("");
    await cachedKeys.endChange(key.secretHash, "token");
    expect(await leaseOf(key)).not.toBe("");
  });
});

test("a look-up spends by the rules of the domain, for any key at any time, with and without an entry", async () => {
  let nowMs = START_MS;
  const timed = createCachedKeyRecords(redis, { now: () => new Date(nowMs) });
  const instant = fc.option(fc.integer({ min: START_MS - 5_000, max: START_MS + 90_000 }).map((ms) => new Date(ms)));
  const record = fc.record({
    type: fc.constantFrom("secret" as const, "publishable" as const),
    rateLimit: anyLimit,
    expiresAt: instant,
    disabledAt: fc.option(fc.constant(NOW), { freq: 6 }),
    revokedAt: fc.option(fc.constant(NOW), { freq: 6 }),
  });
  const steps = fc.array(fc.tuple(pauseMs, fc.boolean()), { minLength: 1, maxLength: 12 });
  const property = fc.asyncProperty(record, steps, async (fields, run) => {
    const key = newKey(fields);
    nowMs = START_MS;
    let state: LimiterState | undefined;
    for (const [pause, spending] of run) {
      nowMs += pause;
      const at = new Date(nowMs);
      const pure =
        spending && spendsOnSight(key.record, at)
          ? take(state, key.record.rateLimit, nowMs)
          : { decision: null, state };
      if (!isUnlimited(key.record.rateLimit)) state = pure.state;
      const lookUp = await timed.lookUp(key.secretHash, spending);
      const result = lookUp.found ? lookUp : await timed.store(key.secretHash, key.record, lookUp.lease, spending);
      expect({ at: result.at, decision: result.decision }).toEqual({ at, decision: pure.decision });
    }
  });
  await fc.assert(property, { numRuns: 150 });
});
