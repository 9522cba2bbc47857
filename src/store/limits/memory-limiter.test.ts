// promise: limits.user-memory
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { START_MS } from "../../../test/limits/arbitraries.ts";
import { take } from "../../../test/limits/one-budget.ts";
import { PlainLimiter } from "../../../test/limits/plain-limiter.ts";
import { anyRequest, anyUserLimit } from "../../../test/limits/user-arbitraries.ts";
import { replay, vectors } from "../../../test/limits/vectors.ts";
import { idleAtMs, type LimiterState } from "../../domain/limits/budget.ts";
import { createMemoryLimiter, USERS_MAX } from "./memory-limiter.ts";

const HOURLY = { requestsPerMinute: 0, requestsPerHour: 1, burstSize: 0 };
const MINUTELY = { requestsPerMinute: 1, requestsPerHour: 0, burstSize: 0 };

describe("vectors", () => {
  test.each(vectors)("$name", async (vector) => {
    let now = new Date(0);
    const limiter = createMemoryLimiter(() => now);
    await replay(vector, (limit, at, spending) => {
      now = at;
      return limiter.take("key_1", limit, spending);
    });
  });
});

test("a peek at a key whose budget was full again when its limit changed returns what the next request finds", async () => {
  let nowMs = START_MS;
  const limiter = createMemoryLimiter(() => new Date(nowMs));
  await limiter.take("key_1", { requestsPerMinute: 60_000, requestsPerHour: 0, burstSize: 10 });
  nowMs += 60_000;
  const slower = { requestsPerMinute: 0, requestsPerHour: 10, burstSize: 10 };
  expect(await limiter.peek("key_1", slower)).toMatchObject({ remaining: 10 });
  expect(await limiter.take("key_1", slower)).toMatchObject({ kind: "allow", remaining: 9 });
});

describe("bound", () => {
  test("a full limiter evicts only the least recently used key if all are busy", async () => {
    const limiter = createMemoryLimiter(() => new Date(START_MS), { keysMax: 3 });
    for (const keyId of ["a", "b", "c", "a", "d"]) await limiter.take(keyId, HOURLY);
    const kinds: string[] = [];
    for (const keyId of ["a", "c", "d"]) kinds.push((await limiter.take(keyId, HOURLY)).kind);
    expect(kinds).toEqual(["deny", "deny", "deny"]);
    expect((await limiter.take("b", HOURLY)).kind).toBe("allow");
  });

  test("a full limiter evicts idle keys before a busy one that was used longer ago", async () => {
    let nowMs = START_MS;
    const limiter = createMemoryLimiter(() => new Date(nowMs), { keysMax: 2 });
    await limiter.take("hourly", HOURLY);
    await limiter.take("minutely", MINUTELY);
    nowMs += 60_000;
    await limiter.take("new", HOURLY);
    expect((await limiter.take("hourly", HOURLY)).kind).toBe("deny");
    expect((await limiter.take("new", HOURLY)).kind).toBe("deny");
  });

  test("an unlimited key evicts no other", async () => {
    const limiter = createMemoryLimiter(() => new Date(START_MS), { keysMax: 1 });
    await limiter.take("a", HOURLY);
    await limiter.take("b", { requestsPerMinute: 0, requestsPerHour: 0, burstSize: 0 });
    expect((await limiter.take("a", HOURLY)).kind).toBe("deny");
  });

  test("100,000 users of a key are remembered", () => expect(USERS_MAX).toEqual({ ofKey: 100_000, all: 200_000 }));

  test("so many users of a key are exact, a further one evicts the user used least recently, and no other key", async () => {
    let nowMs = START_MS;
    const limiter = createMemoryLimiter(() => new Date(nowMs), { usersMax: { ofKey: 1_000, all: 2_000 } });
    const limit = { requestsPerMinute: 0, requestsPerHour: 2_000_000, burstSize: 0, perUser: HOURLY };
    const kindOf = async (user: string, key = "key_1") => (await limiter.take(key, limit, { user })).kind;
    expect(await kindOf("other", "key_2")).toBe("allow");
    for (const expected of ["allow", "deny"]) {
      const kinds = new Set<string>();
      for (let n = 0; n < 1_000; n++) kinds.add(await kindOf(`u${n}`));
      expect(kinds).toEqual(new Set([expected]));
    }
    expect(await kindOf("u1000")).toBe("allow");
    expect(await kindOf("u0")).toBe("allow");
    expect(await kindOf("u3")).toBe("deny");
    expect(await kindOf("other", "key_2")).toBe("deny");
    // Idle users are forgotten: there is room again.
    nowMs += 3_600_000;
    expect(await kindOf("u5")).toBe("allow");
  });

  test("where all keys together have too many users, the key with the most loses one", async () => {
    const limiter = createMemoryLimiter(() => new Date(START_MS), { usersMax: { ofKey: 10, all: 6 } });
    const limit = { requestsPerMinute: 0, requestsPerHour: 100, burstSize: 0, perUser: HOURLY };
    const kindOf = async (key: string, user: string) => (await limiter.take(key, limit, { user })).kind;
    for (const user of ["a", "b"]) await kindOf("small", user);
    for (const user of ["a", "b", "c", "d", "e", "f", "g"]) await kindOf("large", user);
    for (const user of ["a", "b"]) expect(await kindOf("small", user)).toBe("deny");
    for (const user of ["d", "e", "f", "g"]) expect(await kindOf("large", user)).toBe("deny");
    expect(await kindOf("small", "c")).toBe("allow");
    expect(await kindOf("large", "d")).toBe("allow");
  });

  test("users of denied requests evict no user that is busy", async () => {
    const limiter = createMemoryLimiter(() => new Date(START_MS), { usersMax: { ofKey: 1, all: 1 } });
    const limit = { ...HOURLY, perUser: HOURLY };
    await limiter.take("key_1", limit, { user: "busy" });
    for (let n = 0; n < 9; n++) expect((await limiter.take("key_1", limit, { user: `u${n}` })).kind).toBe("deny");
    const raised = { ...limit, requestsPerHour: 9 };
    expect(await limiter.take("key_1", raised, { user: "busy" })).toMatchObject({ kind: "deny", scope: "user" });
  });

  test("requests of users are decided as by the pure function, for any limit and cost", async () => {
    let nowMs = START_MS;
    const requests = fc.array(anyRequest, { minLength: 1, maxLength: 40 });
    const property = fc.asyncProperty(anyUserLimit, requests, async (first, run) => {
      nowMs = START_MS;
      const limiter = createMemoryLimiter(() => new Date(nowMs));
      const plain = new PlainLimiter();
      // The limit stays the same: a budget that was idle starts full, and a changed limit would show that.
      for (const { pause, limit: _, ...spending } of run) {
        nowMs += Math.max(0, pause);
        expect(await limiter.take("key_1", first, spending)).toEqual(plain.take(first, nowMs, spending));
      }
    });
    await fc.assert(property, { numRuns: 300 });
  });

  test("many keys with different limits get the same decisions as from a plain table with the same eviction rule", async () => {
    // Short and long budgets mixed, and a table that is mostly full: the first idle key is rarely the one used first.
    const limits = fc.constantFrom(HOURLY, MINUTELY, { ...HOURLY, requestsPerHour: 3 }, { ...MINUTELY, burstSize: 9 });
    const pauses = fc.integer({ min: 0, max: 12_000 });
    const steps = fc.array(fc.tuple(pauses, fc.integer({ min: 0, max: 30 }), limits), {
      minLength: 200,
      maxLength: 300,
    });
    const property = fc.asyncProperty(steps, fc.integer({ min: 1, max: 25 }), async (run, keysMax) => {
      let nowMs = START_MS;
      const limiter = createMemoryLimiter(() => new Date(nowMs), { keysMax });
      const table = new Map<string, { state: LimiterState; idleMs: number }>();
      for (const [pause, key, limit] of run) {
        nowMs += pause;
        const keyId = `key_${key}`;
        for (const [id, row] of table) if (row.idleMs <= nowMs) table.delete(id);
        const { decision, state } = take(table.get(keyId)?.state, limit, nowMs);
        if (!table.delete(keyId) && table.size >= keysMax) table.delete(table.keys().next().value ?? "");
        table.set(keyId, { state, idleMs: idleAtMs(state, limit) });
        expect(await limiter.take(keyId, limit)).toEqual(decision);
      }
    });
    await fc.assert(property, { numRuns: 200 });
  });
});
