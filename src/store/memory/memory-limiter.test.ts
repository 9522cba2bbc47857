import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { START_MS } from "../../../test/limits/arbitraries.ts";
import { replay, vectors } from "../../../test/limits/vectors.ts";
import { idleAtMs, type LimiterState, take } from "../../domain/limits/budget.ts";
import { createMemoryLimiter } from "./memory-limiter.ts";

const HOURLY = { requestsPerMinute: 0, requestsPerHour: 1, burstSize: 0 };
const MINUTELY = { requestsPerMinute: 1, requestsPerHour: 0, burstSize: 0 };

describe("vectors", () => {
  test.each(vectors)("$name", async (vector) => {
    let now = new Date(0);
    const limiter = createMemoryLimiter(() => now);
    await replay(vector, (limit, at) => {
      now = at;
      return limiter.take("key_1", limit);
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
