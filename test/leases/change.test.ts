import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import { RequestFault } from "../../src/domain/vocabulary/request-fault.ts";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import {
  type ChangeWait,
  createLeaseInvalidation,
  type LeaseInvalidationOptions,
} from "../../src/store/replicas/lease-invalidation.ts";
import type { ReplicaTable } from "../../src/store/replicas/replica-table.ts";
import { createRoster } from "../../src/store/replicas/roster.ts";
import { TIMES } from "../../src/store/replicas/times.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { ACT } from "../harness/act.ts";
import { waitedMs } from "../harness/waited.ts";
import { LeaseDatabase, type SteppedReplica } from "./database.ts";

/** Those of the protocol, but so short that a test can wait for them. */
const SHORT = { ...TIMES, bound: 600, mark: 100 };
/** With a bound that no busy machine takes for a change that does not wait for it. */
const PATIENT = { ...SHORT, bound: 10_000 };
/** A server that has been known for long. */
const KNOWN = -PATIENT.bound;

let db: LeaseDatabase;
let server: string;

beforeAll(async () => {
  db = await LeaseDatabase.open();
  server = (await db.look()).server;
});
afterAll(() => db.close());
afterEach(async () => {
  await db.query("delete from replicas");
  await db.query("delete from key_marks");
  await db.disconnect();
});

interface Setup {
  readonly replicas?: readonly SteppedReplica[];
  readonly table?: ReplicaTable;
  readonly invalidation?: Partial<LeaseInvalidationOptions>;
  /** How often the others look. */
  readonly looks?: "at once" | "never";
  readonly times?: typeof SHORT;
}

/** A process that changes keys. The other replicas look whenever it wakes them. */
function changer(setup: Setup = {}) {
  const { replicas = [], table = db.table, invalidation = {}, looks = "at once", times = SHORT } = setup;
  const events: string[] = [];
  const wakeOthers = () => {
    events.push("woken");
    if (looks === "at once") for (const each of replicas) void each.round();
  };
  const watched: ReplicaTable = {
    ...table,
    async insertMark(subject) {
      const mark = await table.insertMark(subject);
      events.push("marked");
      return mark;
    },
  };
  const replica = { wake: () => {}, server: { id: server, sinceMs: KNOWN, lookedMs: Number.POSITIVE_INFINITY } };
  const store = createKeyStore(
    db.database,
    createLeaseInvalidation({
      table: watched,
      roster: createRoster({ table, times }),
      replica,
      wakeOthers,
      times,
      ...invalidation,
    }),
  );
  const change = async ({ record }: NewKey, name = "new") => {
    const startedAt = performance.now();
    const decide = () => {
      events.push("decided");
      return { patch: { name } };
    };
    await store.updateKeyUnderLock(record.tenantId, record.keyId, decide, ACT);
    return performance.now() - startedAt;
  };
  return { store, change, events, replica };
}

const marks = () => db.query("select mark_id from key_marks");
const isRemembered = async ({ record }: NewKey) =>
  (await db.look()).promised.some(({ promise }) => JSON.stringify(promise?.state).includes(record.keyId));
const nameOf = async ({ record }: NewKey) => (await db.keys.findKey(record.tenantId, record.keyId))?.name;

describe("a change of a key", () => {
  test("is marked before it is decided, wakes all before and after its commit, and leaves no mark", async () => {
    const { change, events } = changer();
    const key = await db.insertedKey();
    await change(key);
    expect(events).toEqual(["marked", "woken", "decided", "woken"]);
    expect(await nameOf(key)).toBe("new");
    expect(await marks()).toEqual([]);
  });

  test("is answered when each replica remembers it: one that has seen its mark only is waited for", async () => {
    const [key, other] = [await db.insertedKey(), db.replica()];
    await other.round();
    let woken = 0;
    const wakeOthers = () => {
      woken += 1;
      if (woken === 1) void other.round();
    };
    const times = { ...SHORT, mark: PATIENT.bound };
    const waits: ChangeWait[] = [];
    const onWaited = (wait: ChangeWait) => void waits.push(wait);
    await changer({ times, invalidation: { wakeOthers, onWaited } }).change(key);
    expect(waits).toMatchObject([{ waitedFor: "silent_replicas" }]);
    await other.round();
    expect(await isRemembered(key)).toBe(true);
  });

  test("is decided when each replica reads the key from PostgreSQL, and answered when none can use an older record", async () => {
    const key = await db.insertedKey();
    const replicas = [db.replica(), db.replica()];
    for (const each of replicas) {
      await each.round();
      expect(await each.caches(key)).toBe(true);
    }
    const cachedThen: boolean[] = [];
    const { store } = changer({ replicas, times: PATIENT });
    const waited = await waitedMs(
      store.updateKeyUnderLock(
        key.record.tenantId,
        key.record.keyId,
        () => {
          cachedThen.push(...replicas.map(({ cache }) => cache.usage.records > 0));
          return { patch: { name: "new" } };
        },
        ACT,
      ),
    );
    expect(cachedThen).toEqual([false, false]);
    expect(waited).toBeLessThan(PATIENT.bound);
    for (const each of replicas) expect(await each.isCached(key)).toBe(false);
  });

  test("waits for a replica that does not look: for the mark a moment, and from the commit on until its lease has ended", async () => {
    const silent = db.replica();
    await silent.round();
    const waits: ChangeWait[] = [];
    const { change } = changer({
      replicas: [silent],
      looks: "never",
      invalidation: { onWaited: (wait) => waits.push(wait) },
    });
    expect(await change(await db.insertedKey())).toBeGreaterThanOrEqual(SHORT.mark + SHORT.bound);
    expect(waits).toHaveLength(1);
    expect(waits[0]?.ms).toBeGreaterThanOrEqual(SHORT.mark + SHORT.bound);
    const [listed] = await db.listed();
    expect(waits).toMatchObject([{ waitedFor: "silent_replicas", behind: [listed?.replica_id] }]);
  });

  test("waits for it also if it changes nothing: the one that made this change may have died before its own wait ended", async () => {
    const silent = db.replica();
    await silent.round();
    const { store } = changer({ replicas: [silent], looks: "never" });
    const { record } = await db.insertedKey();
    const unchanged = () => store.updateKeyUnderLock(record.tenantId, record.keyId, () => ({ patch: {} }), ACT);
    expect(await timed(unchanged)).toBeGreaterThanOrEqual(SHORT.mark + SHORT.bound);
  });

  test("that is denied leaves the key and no mark, and waits for no replica after that", async () => {
    const silent = db.replica();
    await silent.round();
    const { store, events } = changer({ replicas: [silent], looks: "never", times: PATIENT });
    const { record } = await db.insertedKey();
    const fault = new RequestFault("key_revoked", "no");
    const denied = store.updateKeyUnderLock(
      record.tenantId,
      record.keyId,
      () => {
        throw fault;
      },
      ACT,
    );
    expect(await waitedMs(expect(denied).rejects.toBe(fault))).toBeLessThan(PATIENT.bound);
    expect(await marks()).toEqual([]);
    expect(events).toEqual(["marked", "woken", "woken"]);
  });

  test("of a key that does not exist marks nothing", async () => {
    const { store, events } = changer();
    const { record } = await db.insertedKey();
    expect(await store.updateKeyUnderLock("ten_other", record.keyId, () => ({ patch: {} }), ACT)).toBeUndefined();
    expect(events).toEqual([]);
  });

  test.each([
    ["was removed", "delete from key_marks"],
    ["is half a minute old", "update key_marks set marked_at = clock_timestamp() - interval '30 seconds'"],
  ])("is not made if its mark %s by then: replicas may cache the key again before the commit", async (_, statement) => {
    const table: ReplicaTable = {
      ...db.table,
      async insertMark(subject) {
        const mark = await db.table.insertMark(subject);
        await db.query(statement);
        return mark;
      },
    };
    const key = await db.insertedKey();
    await expect(changer({ table }).change(key)).rejects.toThrow(StoreUnavailable);
    expect(await nameOf(key)).toBe(key.record.name);
    expect(await marks()).toEqual([]);
  });

  test("fails if it cannot be marked", async () => {
    const away = new StoreUnavailable("away");
    const key = await db.insertedKey();
    const { change } = changer({ table: { ...db.table, insertMark: () => Promise.reject(away) } });
    await expect(change(key)).rejects.toBe(away);
    expect(await nameOf(key)).toBe(key.record.name);
  });

  test("whose commit failed in a way that says nothing of its outcome keeps its mark, and does not wait", async () => {
    const key = await db.insertedKey();
    const { change, events } = changer();
    const { query } = pg.Client.prototype;
    const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (
      this: pg.Client,
      ...args: unknown[]
    ) {
      const send = () => Reflect.apply(query, this, args);
      return args[0] === "commit" ? endTransactions().then(send) : send();
    });
    const endTransactions = () =>
      db.query(
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
      );
    await expect(change(key)).rejects.toThrow(StoreUnavailable);
    spy.mockRestore();
    expect(events).toEqual(["marked", "woken", "decided"]);
    expect(await marks()).toHaveLength(1);
    expect(await nameOf(key)).toBe(key.record.name);
  });

  test("beside another one of the same key leaves that one's mark", async () => {
    const key = await db.insertedKey();
    const other = await db.table.insertMark(key.secretHash);
    await changer().change(key);
    expect(await db.query("select mark_id::text as id from key_marks")).toEqual([{ id: other.markId }]);
  });
});

describe("the server of the commit", () => {
  /** `shown`: what the last look showed each time that the change asks, the last one from then on. */
  const silentless = async (
    since: () => number,
    shown: readonly string[] = [server],
    lookedMs = Number.POSITIVE_INFINITY,
  ) => {
    const waits: ChangeWait[] = [];
    const looks = [...shown];
    const { change } = changer({
      invalidation: {
        replica: {
          wake: () => {},
          get server() {
            const [id = ""] = looks.length > 1 ? looks.splice(0, 1) : looks;
            return { id, sinceMs: since(), lookedMs };
          },
        },
        onWaited: (wait) => waits.push(wait),
      },
    });
    const tookMs = await change(await db.insertedKey());
    return { tookMs, waitedFor: waits.map(({ waitedFor }) => waitedFor) };
  };

  test("has been known for the bound: no replica has a lease that it does not list", async () => {
    const sinceMs = performance.now() - SHORT.bound;
    const { waitedFor } = await silentless(() => sinceMs);
    expect(waitedFor).toEqual(["replicas"]);
  });

  test("was started a moment ago, so that the change waits the whole bound, whatever replicas are listed", async () => {
    // Whenever the commit is: a busy machine may take longer for it than the bound.
    const { tookMs, waitedFor } = await silentless(() => performance.now());
    expect(tookMs).toBeGreaterThanOrEqual(SHORT.bound);
    expect(waitedFor).toEqual(["new_server"]);
  });

  test("is not the one that the last look showed, so that the change waits the whole bound", async () => {
    const { tookMs, waitedFor } = await silentless(() => KNOWN, ["another", server]);
    expect(tookMs).toBeGreaterThanOrEqual(SHORT.bound);
    expect(waitedFor).toEqual(["new_server"]);
  });

  test("is replaced within the bound, so that the change may be lost: its outcome is unknown", async () => {
    await expect(silentless(() => performance.now(), [server, "another"])).rejects.toThrow(StoreUnavailable);
  });

  test("is not looked at after the bound, so that it may have been replaced: the outcome is unknown", async () => {
    await expect(silentless(() => performance.now(), [server], 0)).rejects.toThrow(StoreUnavailable);
  });
});

test("a change that was stopped for so long that its mark may have ended before the commit waits the whole bound", async () => {
  let stoppedMs = 0;
  const waits: ChangeWait[] = [];
  const { store } = changer({
    invalidation: {
      clocks: { monotonicMs: () => performance.now() + stoppedMs },
      onWaited: (wait) => waits.push(wait),
    },
  });
  const { record } = await db.insertedKey();
  const tookMs = await timed(() =>
    store.updateKeyUnderLock(
      record.tenantId,
      record.keyId,
      () => {
        stoppedMs = 30_000;
        return { patch: { name: "new" } };
      },
      ACT,
    ),
  );
  expect(tookMs).toBeGreaterThanOrEqual(SHORT.bound);
  expect(waits).toMatchObject([{ waitedFor: "late_commit" }]);
});

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
