import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { KeyRecord, NewKey } from "../../src/domain/keys/key.ts";
import { spendsOnSight } from "../../src/domain/keys/status.ts";
import { isUnlimited, type LimiterState, take } from "../../src/domain/limits/limiter.ts";
import { StoreUnavailable } from "../../src/domain/store-unavailable.ts";
import { COPY_MS, type Copies, createCopies, LEASE_MS } from "../../src/store/redis/key-records.ts";
import { namesOf } from "../../src/store/redis/names.ts";
import { anyLimit, pauseMs, START_MS } from "../limits/arbitraries.ts";
import { NOW, newKey } from "../store/records.ts";
import { keepCopy, leaseIn } from "./keep-copy.ts";

let redis: Redis;
let copies: Copies;

beforeAll(() => {
  redis = new Redis(inject("redisUrl"));
  copies = createCopies(redis);
});

afterAll(() => redis.disconnect());

function names(key: NewKey) {
  return namesOf(key.secretHash);
}

async function leaseOf(key: NewKey): Promise<string> {
  const look = await copies.look(key.secretHash, false);
  if (look.found) throw new Error("there is a copy");
  return look.lease;
}

async function isCopied(key: NewKey): Promise<boolean> {
  return (await copies.look(key.secretHash, false)).found;
}

async function copy(key: NewKey): Promise<void> {
  await copies.keep(key.secretHash, key.record, await leaseOf(key), false);
}

test("the records that a process keeps are bounded by what they take, and what was read longest ago goes first", async () => {
  const own = createCopies(redis, { recordsBytesMax: 100_000 });
  const read = async (key: NewKey): Promise<void> => {
    const look = await own.look(key.secretHash, false);
    if (!look.found) await own.keep(key.secretHash, key.record, look.lease, false);
  };
  const kept = (keys: readonly NewKey[]) => keys.filter(({ secretHash }) => own.recall(secretHash)).length;
  const small = Array.from({ length: 30 }, () => newKey());
  for (const key of small) await read(key);
  expect(kept(small)).toBe(30);
  const large = Array.from({ length: 5 }, () => newKey({ description: "x".repeat(30_000) }));
  for (const key of large) await read(key);
  expect(kept(large)).toBe(3);
  expect(kept(large.slice(2))).toBe(3);
  expect(kept(small)).toBeLessThan(5);
  // As read from Redis, too, and not only as kept there.
  const reader = createCopies(redis, { recordsBytesMax: 100_000 });
  for (const { secretHash } of large) expect((await reader.look(secretHash, false)).found).toBe(true);
  expect(large.filter(({ secretHash }) => reader.recall(secretHash))).toHaveLength(3);
});

test("a change asks nothing of a Redis that is held for away before it is committed, and tells it of its end all the same", async () => {
  const key = newKey();
  await copy(key);
  const away = createCopies(redis, { run: () => Promise.reject(new StoreUnavailable("the breaker is open")) });
  await expect(away.beginChange(key.secretHash, "token")).rejects.toThrow(StoreUnavailable);
  expect(await redis.exists(names(key).guard)).toBe(0);
  expect(await isCopied(key)).toBe(true);
  await away.endChange(key.secretHash, "token");
  expect(await isCopied(key)).toBe(false);
});

describe("a copy", () => {
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
  ])("is the record, %s", async (_, fields) => {
    const key = newKey(fields);
    await copy(key);
    const look = await copies.look(key.secretHash, false);
    expect(look).toMatchObject({ found: true, key: key.record, decision: null });
  });

  test("tells the time of Redis, not ours", async () => {
    const key = newKey();
    await copy(key);
    const [seconds] = await redis.time();
    const look = await copies.look(key.secretHash, false);
    expect(look.found && Math.abs(look.at.getTime() / 1_000 - Number(seconds))).toBeLessThan(5);
  });

  test("lives for five seconds from when it was made, however often it is looked at", async () => {
    const key = newKey();
    await copy(key);
    await redis.pexpire(names(key).record, 5_000);
    await copies.look(key.secretHash, true);
    expect(await redis.pttl(names(key).record)).toBeLessThanOrEqual(5_000);
    const fresh = newKey();
    await copy(fresh);
    expect(await redis.pttl(names(fresh).record)).toBeLessThanOrEqual(COPY_MS);
    expect(await redis.pttl(names(fresh).record)).toBeGreaterThan(COPY_MS - 4_000);
  });

  test("leaves nothing in Redis but its three names, all of which expire", async () => {
    const key = newKey({ rateLimit: { requestsPerMinute: 5, requestsPerHour: 0, burstSize: 0 } });
    await copy(key);
    await copies.look(key.secretHash, true);
    await copies.beginChange(key.secretHash, "token");
    await copy(key).catch(() => {});
    const kept = await redis.keys(`*${key.secretHash}*`);
    expect(kept.length).toBeGreaterThan(0);
    for (const name of kept) {
      expect(Object.values(names(key))).toContain(name);
      expect(await redis.pttl(name)).toBeGreaterThan(0);
    }
  });
});

describe("a record that this process has", () => {
  test("is not sent again while the copy is the same one", async () => {
    const key = newKey();
    await copy(key);
    // Nobody but this process could still read it.
    await redis.hset(names(key).record, "v3", "x");
    expect(await copies.look(key.secretHash, false)).toMatchObject({ found: true, key: key.record });
  });

  test("is not believed of another copy", async () => {
    const key = newKey();
    await copy(key);
    const changed = { ...key.record, name: "changed" };
    await copies.endChange(key.secretHash, "token");
    const other = createCopies(redis);
    const look = await other.look(key.secretHash, false);
    await other.keep(key.secretHash, changed, leaseIn(look), false);
    expect(await copies.look(key.secretHash, false)).toMatchObject({ found: true, key: changed });
  });

  test("is not believed where there is no copy", async () => {
    const key = newKey();
    await copy(key);
    await copies.endChange(key.secretHash, "token");
    expect(await isCopied(key)).toBe(false);
  });
});

describe("a publishable key's request", () => {
  const LIMITED = {
    type: "publishable",
    rateLimit: { requestsPerMinute: 5, requestsPerHour: 0, burstSize: 0 },
  } as const;

  async function known(key: NewKey): Promise<KeyRecord> {
    await copy(key);
    const record = copies.recall(key.secretHash);
    if (record === undefined) throw new Error("the record is not known");
    return record;
  }

  test("is spent with the look where its user was judged by the copy that is there", async () => {
    const key = newKey(LIMITED);
    const look = await copies.look(key.secretHash, true, await known(key));
    expect(look).toMatchObject({ found: true, decision: { kind: "allow", limit: 5, remaining: 4 } });
  });

  test("is not where nobody was judged, or by another record than this process has", async () => {
    const key = newKey(LIMITED);
    await known(key);
    for (const judged of [undefined, { ...key.record }]) {
      expect(await copies.look(key.secretHash, true, judged)).toMatchObject({ found: true, decision: null });
    }
  });

  test("is not where the copy is another one by now", async () => {
    const key = newKey(LIMITED);
    const judged = await known(key);
    await copies.endChange(key.secretHash, "token");
    const other = createCopies(redis);
    await keepCopy(other, key);
    expect(await copies.look(key.secretHash, true, judged)).toMatchObject({ found: true, decision: null });
  });

  test("is not where the key is dead", async () => {
    const key = newKey({ ...LIMITED, disabledAt: NOW });
    expect(await copies.look(key.secretHash, true, await known(key))).toMatchObject({ found: true, decision: null });
  });
});

describe("a lease", () => {
  test("is given to the first who finds no copy, until it expires or is used", async () => {
    const key = newKey();
    const lease = await leaseOf(key);
    expect(lease).not.toBe("");
    expect(await leaseOf(key)).toBe("");
    const ttl = await redis.pttl(names(key).guard);
    expect(ttl).toBeGreaterThan(0);
    expect(ttl).toBeLessThanOrEqual(LEASE_MS);
    await copies.keep(key.secretHash, key.record, lease, false);
    expect(await isCopied(key)).toBe(true);
    expect(await redis.exists(names(key).guard)).toBe(0);
  });

  test.each([
    ["of somebody else", async () => "c29tZWJvZHkh"],
    ["that was never given", async () => ""],
  ])("%s makes no copy", async (_, lease) => {
    const key = newKey();
    await leaseOf(key);
    await copies.keep(key.secretHash, key.record, await lease(), false);
    expect(await isCopied(key)).toBe(false);
  });

  test("that expired makes no copy", async () => {
    const key = newKey();
    const lease = await leaseOf(key);
    await redis.del(names(key).guard);
    await copies.keep(key.secretHash, key.record, lease, false);
    expect(await isCopied(key)).toBe(false);
  });

  test("that expired and was given to another makes no copy either", async () => {
    const key = newKey();
    const slow = await leaseOf(key);
    await redis.del(names(key).guard);
    const next = await leaseOf(key);
    await copies.keep(key.secretHash, key.record, slow, false);
    expect(await isCopied(key)).toBe(false);
    await copies.keep(key.secretHash, key.record, next, false);
    expect(await isCopied(key)).toBe(true);
  });

  test.each(["beginChange", "endChange"] as const)("is lost to %s", async (step) => {
    const key = newKey();
    const lease = await leaseOf(key);
    await copies[step](key.secretHash, "token");
    await copies.keep(key.secretHash, key.record, lease, false);
    expect(await isCopied(key)).toBe(false);
  });
});

describe("a change", () => {
  test("removes the copy when it begins, and none is made until it ends", async () => {
    const key = newKey();
    await copy(key);
    await copies.beginChange(key.secretHash, "token");
    expect(await leaseOf(key)).toBe("");
    await copies.keep(key.secretHash, key.record, "", false);
    expect(await isCopied(key)).toBe(false);
    await copies.endChange(key.secretHash, "token");
    await copy(key);
    expect(await isCopied(key)).toBe(true);
  });

  test("that ends leaves the mark of a later one standing", async () => {
    const key = newKey();
    await copies.beginChange(key.secretHash, "first");
    await copies.beginChange(key.secretHash, "second");
    await copies.endChange(key.secretHash, "first");
    expect(await leaseOf(key)).toBe("");
    await copies.endChange(key.secretHash, "second");
    expect(await leaseOf(key)).not.toBe("");
  });

  test("that ends without having begun removes the copy all the same", async () => {
    const key = newKey();
    await copy(key);
    await copies.endChange(key.secretHash, "token");
    expect(await isCopied(key)).toBe(false);
  });

  test("that never ends keeps the key out of the copies for a minute, no longer", async () => {
    const key = newKey();
    await copies.beginChange(key.secretHash, "token");
    const ttl = await redis.pttl(names(key).guard);
    expect(ttl).toBeGreaterThan(50_000);
    expect(ttl).toBeLessThanOrEqual(60_000);
  });
});

describe("what is not a copy of ours is not believed", () => {
  test.each([
    ["of another server's history", ["HSET", "history", "0".repeat(40)]],
    ["of another version", ["HDEL", "v3"]],
    ["that is no record", ["HSET", "v3", "{}"]],
    ["that is no JSON", ["HSET", "v3", "x"]],
    ["of another type", ["SET", "x"]],
  ] as const)("a copy %s", async (_, [command, ...args]) => {
    const key = newKey();
    await copy(key);
    await redis.call(command, names(key).record, ...args);
    // Another replica: this one has the record and does not read it again.
    expect((await createCopies(redis).look(key.secretHash, false)).found).toBe(false);
    await redis.del(names(key).record, names(key).guard);
    await copy(key);
    expect(await isCopied(key)).toBe(true);
  });

  test("a lease of another server's history", async () => {
    const key = newKey();
    const lease = await leaseOf(key);
    await redis.set(names(key).guard, `lease:${lease}:${"0".repeat(40)}`, "PX", 1_000);
    await copies.keep(key.secretHash, key.record, lease, false);
    expect(await isCopied(key)).toBe(false);
  });

  test("a guard of another type is no lease, and a change removes it", async () => {
    const key = newKey();
    await redis.lpush(names(key).guard, "x");
    expect(await leaseOf(key)).toBe("");
    await copies.endChange(key.secretHash, "token");
    expect(await leaseOf(key)).not.toBe("");
  });
});

test("a look spends as the rules of the domain say, whatever the key and the time, with and without a copy", async () => {
  let nowMs = START_MS;
  const timed = createCopies(redis, { now: () => new Date(nowMs) });
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
      const look = await timed.look(key.secretHash, spending);
      const told = look.found ? look : await timed.keep(key.secretHash, key.record, look.lease, spending);
      expect({ at: told.at, decision: told.decision }).toEqual({ at, decision: pure.decision });
    }
  });
  await fc.assert(property, { numRuns: 150 });
});
