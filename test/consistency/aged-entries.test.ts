import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import {
  type CachedKeyRecords,
  createCachedKeyRecords,
  type Followed,
  FRESH_MS,
} from "../../src/store/redis/key-records.ts";
import { START_MS } from "../limits/arbitraries.ts";
import { newKey } from "../store/records.ts";
import { cacheRecord } from "./cache-record.ts";

const redis = new Redis(inject("redisUrl"));

afterAll(() => redis.disconnect());

describe("an entry that is no longer fresh is used", () => {
  const STORED_MS = START_MS;
  let nowMs = STORED_MS;
  let followed: Followed | undefined;
  let timed: CachedKeyRecords;
  let others: CachedKeyRecords;

  beforeAll(() => {
    const now = () => new Date(nowMs);
    timed = createCachedKeyRecords(redis, { now, followed: () => followed });
    others = createCachedKeyRecords(redis, { now });
  });

  async function isUsed(atMs: number, by = timed): Promise<boolean> {
    const key = newKey();
    nowMs = STORED_MS;
    await cacheRecord(timed, key);
    nowMs = atMs;
    return (await by.lookUp(key.secretHash, false)).found;
  }

  async function following(sinceMs: number, untilMs: number): Promise<Followed> {
    return { history: (await timed.serverState()).history, sinceMs, untilMs };
  }

  test("by no replica that does not follow the change log", async () => {
    followed = undefined;
    expect(await isUsed(STORED_MS + FRESH_MS - 1)).toBe(true);
    expect(await isUsed(STORED_MS + FRESH_MS)).toBe(false);
    expect(await isUsed(STORED_MS + FRESH_MS - 1, others)).toBe(true);
    expect(await isUsed(STORED_MS + FRESH_MS, others)).toBe(false);
  });

  test("by a replica that has followed the change log since before the entry was stored, until it may have missed changes", async () => {
    followed = await following(STORED_MS, STORED_MS + 60_000);
    expect(await isUsed(STORED_MS + FRESH_MS)).toBe(true);
    expect(await isUsed(STORED_MS + 59_999)).toBe(true);
    expect(await isUsed(STORED_MS + 60_000)).toBe(false);
    expect(await isUsed(STORED_MS + 59_999, others)).toBe(false);
    followed = await following(STORED_MS + 1, STORED_MS + 60_000);
    expect(await isUsed(STORED_MS + FRESH_MS)).toBe(false);
    expect(await isUsed(STORED_MS + FRESH_MS - 1)).toBe(true);
  });

  test("by no replica that followed it on a server of another history", async () => {
    followed = { history: "0".repeat(40), sinceMs: 0, untilMs: Number.MAX_SAFE_INTEGER };
    expect(await isUsed(STORED_MS + FRESH_MS)).toBe(false);
  });

  test("by no replica if it was stored in the future: the clock of Redis was set back", async () => {
    followed = await following(0, Number.MAX_SAFE_INTEGER);
    expect(await isUsed(STORED_MS - 1)).toBe(false);
  });
});
