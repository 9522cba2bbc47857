import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import { startReplica } from "../../src/store/replicas/replica.ts";
import { isVisible, type ReplicaTable } from "../../src/store/replicas/replica-table.ts";
import { TIMES } from "../../src/store/replicas/times.ts";
import { createReplicaTable } from "../../src/store/sql/replicas/replica-rows.ts";
import { LeaseDatabase, type SteppedReplica } from "./database.ts";

let db: LeaseDatabase;
let replica: SteppedReplica;

beforeAll(async () => {
  db = await LeaseDatabase.open();
});
afterAll(() => db.close());

beforeEach(async () => {
  replica = db.replica();
  await replica.round();
});
afterEach(async () => {
  await db.disconnect();
  await db.query("delete from replicas");
  await db.query("delete from key_marks");
  await db.disconnect();
});

describe("a replica", () => {
  test("caches keys from its first look on, and registers before that", async () => {
    const key = await db.insertedKey();
    const calls: string[] = [];
    const fresh = db.replica({ table: recorded(db.table, calls) });
    expect(await fresh.caches(key)).toBe(false);
    await fresh.round();
    expect(calls).toEqual(["register", "look", "renew", "readReplicas"]);
    expect(await fresh.caches(key)).toBe(true);
  });

  test("drops the record of a key that was changed, and no other", async () => {
    const [key, other] = [await db.insertedKey(), await db.insertedKey()];
    for (const each of [key, other]) expect(await replica.caches(each)).toBe(true);
    await db.change(key);
    await replica.round();
    expect([await replica.isCached(key), await replica.isCached(other)]).toEqual([false, true]);
  });

  test("reads a marked key each time until its last mark is gone", async () => {
    const key = await db.insertedKey();
    const marks = [await db.table.insertMark(key.secretHash), await db.table.insertMark(key.secretHash)];
    for (const { markId } of marks) {
      await replica.round();
      expect(await replica.caches(key)).toBe(false);
      await db.table.deleteMark(markId);
    }
    expect(await replica.caches(key)).toBe(false);
    await replica.round();
    expect(await replica.caches(key)).toBe(true);
  });

  test("caches a key again whose mark is a minute old", async () => {
    const key = await db.insertedKey();
    await db.table.insertMark(key.secretHash);
    await replica.round();
    await db.query("update key_marks set marked_at = clock_timestamp() - interval '61 seconds'");
    await replica.round();
    expect(await replica.caches(key)).toBe(true);
  });

  test("drops everything if changes may be missing, but keeps the marks", async () => {
    const [key, marked] = [await db.insertedKey(), await db.insertedKey()];
    await replica.caches(key);
    await db.table.insertMark(marked.secretHash);
    await replica.round();
    await db.logChanges(10_001);
    await replica.round();
    expect(await replica.isCached(key)).toBe(false);
    expect(await replica.caches(marked)).toBe(false);
    expect(await replica.caches(key)).toBe(true);
  });

  test("acknowledges what it has applied, and only after that", async () => {
    const key = await db.insertedKey();
    const table: ReplicaTable = {
      ...db.table,
      async acknowledge(id, snapshot) {
        expect(await slow.isCached(key)).toBe(false);
        await db.table.acknowledge(id, snapshot);
      },
    };
    const slow = db.replica({ table });
    await slow.round();
    expect(await slow.caches(key)).toBe(true);
    await db.change(key);
    const { transactionId } = await db.table.insertMark(key.secretHash);
    const hasSeen = async () =>
      (await db.table.readReplicas()).some(({ seen }) => seen !== null && isVisible(transactionId, seen));
    expect(await hasSeen()).toBe(false);
    await slow.round();
    expect(await hasSeen()).toBe(true);
  });

  test("writes nothing after a look without news, but renews once a second", async () => {
    const calls: string[] = [];
    const idle = db.replica({ table: recorded(db.table, calls) });
    await idle.round();
    calls.length = 0;
    for (let ms = TIMES.poll; ms <= 3_150; ms += TIMES.poll) await idle.round();
    expect(calls.filter((call) => call !== "look" && call !== "readReplicas")).toEqual(["renew", "renew", "renew"]);
    await db.change(await db.insertedKey());
    calls.length = 0;
    await idle.round();
    expect(calls).toEqual(["look", "acknowledge"]);
  });

  test("has no lease from 2.7 s after its last look on, and nothing is lost when the next look comes in time or not", async () => {
    const key = await db.insertedKey();
    await replica.caches(key);
    replica.pass(TIMES.lease - 1);
    expect(await replica.isCached(key)).toBe(true);
    replica.pass(1);
    expect(await replica.isCached(key)).toBe(false);
    await replica.round();
    expect(await replica.isCached(key)).toBe(true);
  });

  test("uses no record that was changed while it had no lease", async () => {
    const key = await db.insertedKey();
    await replica.caches(key);
    replica.pass(TIMES.bound);
    await db.change(key);
    await replica.round();
    expect(await replica.isCached(key)).toBe(false);
  });

  test("counts its lease from before the look was sent, so that a slow look gives a shorter one", async () => {
    const key = await db.insertedKey();
    const table: ReplicaTable = {
      ...db.table,
      async look(id, since) {
        const look = await db.table.look(id, since);
        slow.pass(2_000);
        return look;
      },
    };
    const slow = db.replica({ table });
    await slow.round();
    expect(await slow.caches(key)).toBe(true);
    slow.pass(699);
    expect(await slow.isCached(key)).toBe(true);
    slow.pass(1);
    expect(await slow.isCached(key)).toBe(false);
  });
});

describe("a replica whose row was removed", () => {
  test("has no lease when its look finds that, registers again and continues from its last look", async () => {
    const [key, changed] = [await db.insertedKey(), await db.insertedKey()];
    for (const each of [key, changed]) await replica.caches(each);
    const [before] = await db.listed();
    await db.query("delete from replicas");
    await db.change(changed);
    await replica.round();
    expect(replica.lease.isHeld()).toBe(false);
    await replica.round();
    expect(replica.lease.isHeld()).toBe(true);
    const [after, ...others] = await db.listed();
    expect(others).toEqual([]);
    expect(after?.replica_id).not.toBe(before?.replica_id);
    expect(after?.seen).not.toBeNull();
    expect([await replica.isCached(key), await replica.isCached(changed)]).toEqual([true, false]);
  });

  test("has no lease when its renewal finds that, and its next look gives it one", async () => {
    let isRemoved = false;
    const table: ReplicaTable = {
      ...db.table,
      async renew(id, snapshot) {
        if (isRemoved) await db.query("delete from replicas");
        isRemoved = false;
        return db.table.renew(id, snapshot);
      },
    };
    const removed = db.replica({ table });
    await removed.round();
    isRemoved = true;
    await removed.round(TIMES.renewal);
    expect(removed.lease.isHeld()).toBe(false);
    await removed.round();
    expect(removed.lease.isHeld()).toBe(true);
    expect(await db.listed()).toHaveLength(1);
  });
});

describe("another server", () => {
  /** The table as a server shows it that was started at another time. */
  function tableOf(server: () => string, knownMs = 0): ReplicaTable {
    return {
      ...db.table,
      look: async (...args) => ({ ...(await db.table.look(...args)), server: server(), serverKnownMs: knownMs }),
      findMissing: async (...args) => ({ ...(await db.table.findMissing(...args)), server: server() }),
    };
  }

  test("has everything dropped, and counts as known from the first look on, or since others know it", async () => {
    let server = "one";
    const key = await db.insertedKey();
    const moved = db.replica({ table: tableOf(() => server, 400) });
    await moved.round();
    expect(moved.replica.server).toEqual({ id: "one", sinceMs: moved.clocks.mono - 400, lookedMs: moved.clocks.mono });
    expect(await moved.caches(key)).toBe(true);
    server = "two";
    await moved.round();
    expect(moved.replica.server).toEqual({ id: "two", sinceMs: moved.clocks.mono - 400, lookedMs: moved.clocks.mono });
    expect(await moved.isCached(key)).toBe(false);
    const { server: known } = moved.replica;
    await moved.round();
    expect(moved.replica.server).toEqual({ ...known, lookedMs: moved.clocks.mono });
    expect(await moved.isCached(key)).toBe(true);
  });
});

describe("the clock for the expiry of keys", () => {
  /** The server as one whose time the test sets, and whose replies take some. */
  function setUp() {
    const server = { ms: 1_700_000_000_000, replyMs: 0, shownMs: 0, onReply: () => {} };
    const table: ReplicaTable = {
      ...db.table,
      async look(...args) {
        const look = { ...(await db.table.look(...args)), nowMs: server.ms };
        pass(server.replyMs);
        server.onReply();
        return look;
      },
    };
    const stepped = db.replica({ table });
    const pass = (ms: number): void => {
      server.ms += ms;
      stepped.pass(ms);
    };
    return { server, stepped, pass, shown: () => stepped.replica.clock().getTime() };
  }

  test("is the server's as of the last look, continued, and never ahead of it", async () => {
    const { server, stepped, pass, shown } = setUp();
    for (const replyMs of [0, 7, 300, 20, 1]) {
      server.replyMs = replyMs;
      await stepped.replica.round();
      expect(shown()).toBe(server.ms - replyMs);
      pass(149.5);
      expect(shown()).toBeLessThanOrEqual(server.ms);
      server.ms += 0.5;
      stepped.pass(0.5);
    }
  });

  test("shows the server's time even if the clocks of this process are set", async () => {
    const { server, stepped, shown } = setUp();
    await stepped.replica.round();
    stepped.clocks.wall += 3_600_000;
    expect(shown()).toBe(server.ms);
    await stepped.replica.round();
    expect(shown()).toBe(server.ms);
  });

  test("does not go back because a reply took longer than the one before: a key that has expired has expired", async () => {
    const { server, stepped, pass, shown } = setUp();
    await stepped.replica.round();
    pass(150);
    server.replyMs = 100;
    server.onReply = () => {
      server.shownMs = shown();
    };
    await stepped.replica.round();
    expect(server.shownMs).toBe(server.ms);
    expect(shown()).toBe(server.ms);
    pass(99);
    expect(shown()).toBe(server.ms - 99);
    pass(51);
    // What the last look says, once that is later.
    expect(shown()).toBe(server.ms - 100);
  });

  test("follows the server when that is set back", async () => {
    const { server, stepped, shown } = setUp();
    await stepped.replica.round();
    shown();
    server.ms -= 3_600_000;
    await stepped.round();
    expect(shown()).toBe(server.ms);
  });
});

describe("a started replica", () => {
  test("looks by itself and at once when it is woken, and leaves the list when it is closed", async () => {
    const stepped = db.replica();
    const calls: string[] = [];
    const table = recorded(db.table, calls);
    const times = { ...TIMES, poll: 60_000 };
    const started = await startReplica({ table, cache: stepped.cache, lease: stepped.lease, times });
    expect(await db.listed()).toHaveLength(2);
    const looks = () => calls.filter((call) => call === "look").length;
    await expect.poll(looks).toBe(2);
    started.wake();
    await expect.poll(looks).toBe(3);
    await started.close();
    expect(stepped.lease.isHeld()).toBe(false);
    expect(await db.listed()).toHaveLength(1);
    started.wake();
    expect(calls.at(-1)).toBe("leave");
  });

  test("reports once that it cannot look, keeps trying, and reports once that it can", async () => {
    let isAway = false;
    const away = new StoreUnavailable("away");
    const table: ReplicaTable = {
      ...db.table,
      look: (...args) => (isAway ? Promise.reject(away) : db.table.look(...args)),
    };
    const stepped = db.replica();
    const changes: unknown[] = [];
    const started = await startReplica({
      table,
      cache: stepped.cache,
      lease: stepped.lease,
      times: { ...TIMES, poll: 5 },
      onChange: (works, cause) => changes.push([works, cause]),
    });
    isAway = true;
    await expect.poll(() => changes).toEqual([[false, away]]);
    isAway = false;
    await expect
      .poll(() => changes)
      .toEqual([
        [false, away],
        [true, undefined],
      ]);
    await started.close();
  });

  test("does not start without the list", async () => {
    const gone = await LeaseDatabase.open();
    const table = createReplicaTable(gone.database);
    await gone.close();
    const stepped = db.replica();
    await expect(startReplica({ table, cache: stepped.cache, lease: stepped.lease })).rejects.toThrow(StoreUnavailable);
  });
});

/** Records the calls of a table. */
function recorded(table: ReplicaTable, calls: string[]): ReplicaTable {
  return new Proxy(table, {
    get(target, method: keyof ReplicaTable) {
      calls.push(method);
      return target[method];
    },
  });
}
