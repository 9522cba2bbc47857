import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { COPY_MS, type Copies, createCopies, type Followed } from "../../src/store/redis/key-records.ts";
import { START_MS } from "../limits/arbitraries.ts";
import { newKey } from "../store/records.ts";
import { keepCopy } from "./keep-copy.ts";

const redis = new Redis(inject("redisUrl"));

afterAll(() => redis.disconnect());

describe("an old copy is believed", () => {
  const MADE_MS = START_MS;
  let nowMs = MADE_MS;
  let followed: Followed | undefined;
  let timed: Copies;
  let others: Copies;

  beforeAll(() => {
    const now = () => new Date(nowMs);
    timed = createCopies(redis, { now, followed: () => followed });
    others = createCopies(redis, { now });
  });

  async function isBelieved(atMs: number, by = timed): Promise<boolean> {
    const key = newKey();
    nowMs = MADE_MS;
    await keepCopy(timed, key);
    nowMs = atMs;
    return (await by.look(key.secretHash, false)).found;
  }

  async function following(sinceMs: number, untilMs: number): Promise<Followed> {
    return { history: (await timed.origin()).history, sinceMs, untilMs };
  }

  test("by nobody who does not follow the changes", async () => {
    followed = undefined;
    expect(await isBelieved(MADE_MS + COPY_MS - 1)).toBe(true);
    expect(await isBelieved(MADE_MS + COPY_MS)).toBe(false);
    expect(await isBelieved(MADE_MS + COPY_MS - 1, others)).toBe(true);
    expect(await isBelieved(MADE_MS + COPY_MS, others)).toBe(false);
  });

  test("by who has followed them since before it was made, until there may be others", async () => {
    followed = await following(MADE_MS, MADE_MS + 60_000);
    expect(await isBelieved(MADE_MS + COPY_MS)).toBe(true);
    expect(await isBelieved(MADE_MS + 59_999)).toBe(true);
    expect(await isBelieved(MADE_MS + 60_000)).toBe(false);
    expect(await isBelieved(MADE_MS + 59_999, others)).toBe(false);
    followed = await following(MADE_MS + 1, MADE_MS + 60_000);
    expect(await isBelieved(MADE_MS + COPY_MS)).toBe(false);
    expect(await isBelieved(MADE_MS + COPY_MS - 1)).toBe(true);
  });

  test("by nobody who followed them on a server of another history", async () => {
    followed = { history: "0".repeat(40), sinceMs: 0, untilMs: Number.MAX_SAFE_INTEGER };
    expect(await isBelieved(MADE_MS + COPY_MS)).toBe(false);
  });

  test("by nobody if it was made in the future: the clock of Redis was set back", async () => {
    followed = await following(0, Number.MAX_SAFE_INTEGER);
    expect(await isBelieved(MADE_MS - 1)).toBe(false);
  });
});
