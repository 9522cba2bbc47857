import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import { createRoster, type RosterOptions, type Transaction } from "../../src/store/replicas/roster.ts";
import { TIMES } from "../../src/store/replicas/times.ts";
import { newKey } from "../store/records.ts";
import { LeaseDatabase } from "./database.ts";

const NEVER_MS = Number.POSITIVE_INFINITY;

let db: LeaseDatabase;

beforeAll(async () => {
  db = await LeaseDatabase.open();
});
afterAll(() => db.close());
afterEach(async () => {
  await db.query("delete from replicas");
  await db.disconnect();
});

function roster(options: Partial<RosterOptions> = {}) {
  return createRoster({ table: db.table, ...options });
}

async function registered(): Promise<string> {
  const id = randomUUID();
  await db.table.register(id);
  return id;
}

/** A replica acknowledges all that is committed now. */
async function acknowledge(...ids: readonly string[]): Promise<void> {
  for (const id of ids) await db.table.acknowledge(id, await db.look());
}

const markedTransaction = () => db.table.insertMark(newKey().secretHash);

const listed = async () => (await db.listed()).map(({ replica_id }) => replica_id).sort();

describe("a transaction", () => {
  test("has been seen once each replica has acknowledged it, and not sooner", async () => {
    const [one, other] = [await registered(), await registered()];
    await acknowledge(one, other);
    const transaction = await markedTransaction();
    const steps: string[] = [];
    const seen = roster()
      .haveSeen(transaction, NEVER_MS)
      .then((haveSeen) => steps.push(`seen: ${haveSeen}`));
    await acknowledge(one);
    // The roster reads the list on the same two connections, so by now it has read this.
    for (let n = 0; n < 10; n++) await db.table.readReplicas();
    steps.push("the other acknowledges");
    await acknowledge(other);
    await seen;
    expect(steps).toEqual(["the other acknowledges", "seen: true"]);
  });

  test("has been seen at once where there is no replica", async () => {
    expect(await roster().haveSeen(await markedTransaction(), 0)).toBe(true);
  });

  test("has not been seen by a replica that has just registered, until that has looked", async () => {
    const transaction = await markedTransaction();
    const id = await registered();
    expect(await roster().haveSeen(transaction, 0)).toBe(false);
    await acknowledge(id);
    expect(await roster().haveSeen(transaction, 0)).toBe(true);
  });

  test("has not been seen as long as the list is that of another server, which may lack it", async () => {
    const [id, transaction] = [await registered(), await markedTransaction()];
    await acknowledge(id);
    const { server } = await db.look();
    expect(await roster().haveSeen({ ...transaction, server: "another" }, 0)).toBe(false);
    expect(await roster().haveSeen({ ...transaction, server }, 0)).toBe(true);
  });

  test("is not waited for any longer when a replica that has not seen it has left", async () => {
    const [one, other] = [await registered(), await registered()];
    const transaction = await markedTransaction();
    await acknowledge(one);
    const seen = roster().haveSeen(transaction, NEVER_MS);
    await db.table.leave(other);
    expect(await seen).toBe(true);
  });

  test("is waited for until the given time of the monotonic clock, and for no other's sake", async () => {
    const [slow] = [await registered()];
    await acknowledge(slow);
    const early = await markedTransaction();
    await acknowledge(slow);
    const late = await markedTransaction();
    let nowMs = 0;
    const { haveSeen } = roster({ clocks: { monotonicMs: () => nowMs } });
    const outcomes: string[] = [];
    const wait = (name: string, transaction: Transaction, untilMs: number) =>
      haveSeen(transaction, untilMs).then((isSeen) => void outcomes.push(`${name}: ${isSeen}`));
    const waits = [wait("late until 100", late, 100), wait("late for ever", late, NEVER_MS), wait("early", early, 100)];
    await waits[2];
    expect(outcomes).toEqual(["early: true"]);
    nowMs = 99;
    for (let n = 0; n < 10; n++) await db.table.readReplicas();
    expect(outcomes).toHaveLength(1);
    nowMs = 100;
    await waits[0];
    await acknowledge(slow);
    await waits[1];
    expect(outcomes).toEqual(["early: true", "late until 100: false", "late for ever: true"]);
  });

  test("is waited for while the list cannot be read, but no longer than until the given time", async () => {
    const transaction = await markedTransaction();
    let nowMs = 0;
    let readings = 0;
    const table = {
      ...db.table,
      async readReplicas() {
        readings += 1;
        if (readings === 5) nowMs = 100;
        throw new StoreUnavailable("away");
      },
    };
    expect(await roster({ table, clocks: { monotonicMs: () => nowMs } }).haveSeen(transaction, 100)).toBe(false);
    expect(readings).toBe(5);
  });

  test("is looked for in a list that was read after the call, by one reading for all that wait", async () => {
    const id = await registered();
    await acknowledge(id);
    const first = Promise.withResolvers<void>();
    let readings = 0;
    const table = {
      ...db.table,
      async readReplicas() {
        const rows = await db.table.readReplicas();
        readings += 1;
        if (readings === 1) await first.promise;
        return rows;
      },
    };
    const { haveSeen } = roster({ table });
    const transaction = await markedTransaction();
    await acknowledge(id);
    const before = haveSeen(transaction, 0);
    await expect.poll(() => readings).toBe(1);
    const late = await registered();
    // They come while the first reading, which lacks the new replica, is under way.
    const after = [1, 2, 3].map(() => haveSeen(transaction, 0));
    first.resolve();
    expect(await before).toBe(true);
    expect(await Promise.all(after)).toEqual([false, false, false]);
    expect(readings).toBe(2);
    expect(await listed()).toEqual([id, late].sort());
  });
});

describe("a dead replica", () => {
  const clocks = { nowMs: 0, monotonicMs: () => clocks.nowMs };

  test("is removed when it was not renewed for the bound, by this process' own monotonic clock", async () => {
    const [dead, alive] = [await registered(), await registered()];
    const { removeDead } = roster({ clocks });
    // That it is old says nothing: this process has just begun to watch.
    clocks.nowMs = 1_000_000;
    await removeDead();
    for (let ms = 1_000; ms < TIMES.bound; ms += 1_000) {
      clocks.nowMs += 1_000;
      await db.table.renew(alive, await db.here("1:1:"));
      await removeDead();
      expect(await listed()).toEqual([dead, alive].sort());
    }
    clocks.nowMs += 999;
    await removeDead();
    expect(await listed()).toHaveLength(2);
    clocks.nowMs += 1;
    await removeDead();
    expect(await listed()).toEqual([alive]);
  });

  test("is watched again on another server, which may lack renewals that were seen on the one before", async () => {
    const alive = await registered();
    let server = "before";
    const table = {
      ...db.table,
      readReplicas: async () => (await db.table.readReplicas()).map((row) => ({ ...row, server })),
    };
    const { removeDead } = roster({ table, clocks });
    await removeDead();
    clocks.nowMs += TIMES.bound;
    server = "after";
    await removeDead();
    expect(await listed()).toEqual([alive]);
    clocks.nowMs += TIMES.bound;
    await removeDead();
    expect(await listed()).toEqual([]);
  });

  test("is not removed because of an acknowledgement, which may be lost, nor kept by one", async () => {
    const dead = await registered();
    const { removeDead } = roster({ clocks });
    await removeDead();
    clocks.nowMs += TIMES.bound;
    await acknowledge(dead);
    await removeDead();
    expect(await listed()).toEqual([]);
  });

  test("is not removed if it is renewed in between, as when this process was stopped for long", async () => {
    const alive = await registered();
    const table = {
      ...db.table,
      async removeReplica(id: string, beats: number) {
        await db.table.renew(alive, await db.here("1:1:"));
        await db.table.removeReplica(id, beats);
      },
    };
    const { removeDead } = roster({ table, clocks });
    await removeDead();
    clocks.nowMs += 10 * TIMES.bound;
    await removeDead();
    expect(await listed()).toEqual([alive]);
    // From the renewal on it counts anew.
    clocks.nowMs += TIMES.bound - 1;
    await removeDead();
    expect(await listed()).toEqual([alive]);
  });
});
