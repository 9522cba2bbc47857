import { Redis } from "ioredis";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import type { NewKey } from "../../src/domain/keys/key.ts";
import type { KeyChangeLog } from "../../src/domain/ports/keys.ts";
import { StoreUnavailable } from "../../src/domain/store-unavailable.ts";
import { type ChangeLogFollower, createChangeLogFollower } from "../../src/store/redis/change-log-follower.ts";
import {
  type CachedKeyRecords,
  createCachedKeyRecords,
  FRESH_MS,
  LEASE_MS,
} from "../../src/store/redis/key-records.ts";
import type { SqlDatabase } from "../../src/store/sql/database.ts";
import { createKeyChangeLog } from "../../src/store/sql/key-changes.ts";
import { openDatabase } from "../../src/store/sql/open.ts";
import { START_MS } from "../limits/arbitraries.ts";
import { type PostgresServer, startOwnPostgres } from "../servers/postgres.ts";
import { startOwnRedis } from "../servers/redis.ts";
import { newKey } from "../store/records.ts";
import { cacheRecord, leaseIn } from "./cache-record.ts";
import { openSharedDatabase, type SharedDatabase } from "./database.ts";

const READ_MS = FRESH_MS / 5;

/** A server of its own: the position in the change log depends on the open transactions of the whole server. */
let server: PostgresServer;
let shared: SharedDatabase;
let database: SqlDatabase;
let redis: Redis;
let nowMs = START_MS;

beforeAll(async () => {
  server = await startOwnPostgres();
  shared = await openSharedDatabase(server.url);
  database = await openDatabase({ kind: "postgres", url: shared.url, poolSize: 4 });
  redis = new Redis(inject("redisUrl"));
});

afterAll(async () => {
  redis.disconnect();
  await database.close();
  await shared.close();
  await server.stop();
});

const clients: pg.Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: shared.url });
  await client.connect();
  clients.push(client);
  return client;
}

/** Does what a replica would do, step by step, with a clock of Redis that the test sets. */
interface Setup {
  readonly follower: ChangeLogFollower;
  readonly cachedKeys: CachedKeyRecords;
  follow(afterMs?: number): Promise<void>;
  /** A key with an entry that may be used when it is no longer fresh. */
  cachedKey(): Promise<NewKey>;
  isCached(key: NewKey): Promise<boolean>;
}

function setUp(log: KeyChangeLog = createKeyChangeLog(database), on: Redis = redis): Setup {
  nowMs = START_MS;
  const cachedKeys = createCachedKeyRecords(on, { now: () => new Date(nowMs), followed: () => follower.followed() });
  const follower = createChangeLogFollower(cachedKeys, log);
  const isCached = async (key: NewKey) => (await cachedKeys.lookUp(key.secretHash, false)).found;
  return {
    follower,
    cachedKeys,
    isCached,
    async follow(afterMs = READ_MS) {
      nowMs += afterMs;
      await follower.follow();
    },
    async cachedKey() {
      const key = newKey();
      await shared.keys.insertKey(key);
      await cacheRecord(cachedKeys, key);
      expect(await isCached(key)).toBe(true);
      return key;
    },
  };
}

/** A session with a transaction that has an id, as if it had written something. */
async function openTransaction(): Promise<pg.Client> {
  const client = await connect();
  await client.query("begin; select pg_current_xact_id()");
  return client;
}

/** Adds changes of an unknown key to the change log. */
async function logChanges(changes: number, transactionId = "pg_current_xact_id()"): Promise<void> {
  await (await connect()).query(
    `insert into key_changes (secret_hash, transaction_id) select '\\x00', ${transactionId} from generate_series(1, ${changes})`,
  );
}

/** Revokes a key as a replica would that cannot reach Redis. */
async function revoke({ record: { tenantId, keyId } }: NewKey): Promise<void> {
  await shared.keys.updateKeyUnderLock(tenantId, keyId, () => ({ patch: { revokedAt: new Date() } }));
}

describe("a replica that follows the change log", () => {
  let replica: Setup;

  beforeEach(async () => {
    replica = setUp();
    await replica.follow();
    await replica.follow();
  });

  test("counts as following from its second read on: for entries stored later, and for as long as an entry is fresh", async () => {
    const begun = setUp();
    await begun.follow(0);
    expect(begun.follower.followed()).toBeUndefined();
    await begun.follow();
    expect(begun.follower.followed()).toMatchObject({
      sinceMs: START_MS + READ_MS + LEASE_MS,
      untilMs: START_MS + READ_MS + FRESH_MS,
    });
    await begun.follow();
    expect(begun.follower.followed()).toMatchObject({
      sinceMs: START_MS + READ_MS + LEASE_MS,
      untilMs: START_MS + 2 * READ_MS + FRESH_MS,
    });
  });

  test("removes the entry of a key that another replica changed, and no other", async () => {
    const [key, other] = [await replica.cachedKey(), await replica.cachedKey()];
    await revoke(key);
    expect(await replica.isCached(key)).toBe(true);
    await replica.follow();
    expect(await replica.isCached(key)).toBe(false);
    expect(await replica.isCached(other)).toBe(true);
  });

  test("removes the lease of a slow reader, too", async () => {
    const key = newKey();
    await shared.keys.insertKey(key);
    const lookUp = await replica.cachedKeys.lookUp(key.secretHash, false);
    await revoke(key);
    await replica.follow();
    await replica.cachedKeys.store(key.secretHash, key.record, leaseIn(lookUp), false);
    expect(await replica.isCached(key)).toBe(false);
  });

  test("leaves the mark of a change under way in place", async () => {
    const key = newKey();
    await shared.keys.insertKey(key);
    await replica.cachedKeys.beginChange(key.secretHash, "token");
    await revoke(key);
    await replica.follow();
    expect(await replica.cachedKeys.lookUp(key.secretHash, false)).toEqual({ found: false, lease: "" });
  });

  test.each([
    ["changed", "update api_keys set revoked_at = now() where key_id = $1"],
    ["deleted", "delete from api_keys where key_id = $1"],
  ])("sees that a key was %s by hand", async (_, statement) => {
    const key = await replica.cachedKey();
    await (await connect()).query(statement, [key.record.keyId]);
    await replica.follow();
    expect(await replica.isCached(key)).toBe(false);
  });

  test("ignores keys that are only used", async () => {
    const key = await replica.cachedKey();
    const counts = { total: 1, successful: 1, failed: 0, lastUsedAt: new Date() };
    await shared.keys.addUsage("batch", new Map([[key.record.keyId, counts]]));
    await replica.follow();
    expect(await replica.isCached(key)).toBe(true);
  });

  test("sees a change that is committed long after later ones", async () => {
    const [slow, quick] = [await replica.cachedKey(), await replica.cachedKey()];
    const client = await openTransaction();
    await client.query("update api_keys set revoked_at = now() where key_id = $1", [slow.record.keyId]);
    await revoke(quick);
    for (let reads = 0; reads < 3; reads++) await replica.follow();
    expect(await replica.isCached(quick)).toBe(false);
    expect(await replica.isCached(slow)).toBe(true);
    await client.query("commit");
    await replica.follow();
    expect(await replica.isCached(slow)).toBe(false);
  });

  test("keeps following, however much was changed since the start of a transaction that is still open", async () => {
    const job = await openTransaction();
    for (let batches = 0; batches < 2; batches++) {
      await logChanges(6_000);
      await replica.follow();
    }
    const key = await replica.cachedKey();
    await revoke(key);
    await replica.follow();
    expect(replica.follower.followed()?.untilMs).toBe(nowMs + FRESH_MS);
    expect(await replica.isCached(key)).toBe(false);
    await job.query("commit");
  });

  test("ignores changes with transaction ids in the future, as in a dump of another server", async () => {
    await logChanges(10_001, "'999999999999'::xid8");
    await replica.follow();
    expect(replica.follower.followed()?.untilMs).toBe(nowMs + FRESH_MS);
  });

  test("invalidates the entry of a change once, also while an older transaction is open", async () => {
    const client = await openTransaction();
    const key = await replica.cachedKey();
    await revoke(key);
    await replica.follow();
    const lookUp = await replica.cachedKeys.lookUp(key.secretHash, false);
    await replica.follow();
    // A second invalidation would have removed this lease.
    await replica.cachedKeys.store(key.secretHash, key.record, leaseIn(lookUp), false);
    expect(await replica.isCached(key)).toBe(true);
    await client.query("commit");
  });

  test("starts again after too long a pause, because the log may no longer contain the changes of that time", async () => {
    const before = replica.follower.followed();
    await replica.follow(FRESH_MS);
    expect(replica.follower.followed()).toBeUndefined();
    await replica.follow();
    expect(replica.follower.followed()?.sinceMs).toBe((before?.untilMs ?? 0) + READ_MS + LEASE_MS);
  });

  test("starts again when there are more changes than it reads at once, and uses no earlier entry", async () => {
    nowMs += LEASE_MS;
    const key = await replica.cachedKey();
    await revoke(key);
    await logChanges(10_000);
    await replica.follow();
    expect(replica.follower.followed()).toBeUndefined();
    for (let reads = 0; reads < 4; reads++) await replica.follow();
    expect(replica.follower.followed()?.untilMs).toBe(nowMs + FRESH_MS);
    nowMs = Math.max(nowMs, START_MS + 3 * READ_MS + LEASE_MS + FRESH_MS);
    await replica.follow();
    expect(await replica.isCached(key)).toBe(false);
  });

  test("invalidates what changed while the clock of Redis was set back, because its entry would be used again", async () => {
    nowMs += LEASE_MS;
    await replica.follow();
    const [key, other] = [await replica.cachedKey(), await replica.cachedKey()];
    await revoke(key);
    await replica.follow(-15_000);
    for (let reads = 0; reads < 15; reads++) await replica.follow();
    expect([await replica.isCached(key), await replica.isCached(other)]).toEqual([false, true]);
  });

  test("does not count as following after the clock of Redis was set back, until it has read the log again", async () => {
    const [away, log] = [new StoreUnavailable("away"), createKeyChangeLog(database)];
    let isAway = false;
    const cut = setUp({ readKeyChanges: (cursor) => (isAway ? Promise.reject(away) : log.readKeyChanges(cursor)) });
    await cut.follow();
    await cut.follow();
    isAway = true;
    await expect(cut.follow(-3_600_000)).rejects.toBe(away);
    expect(cut.follower.followed()?.untilMs).toBe(nowMs);
    isAway = false;
    await cut.follow();
    expect(cut.follower.followed()?.untilMs).toBe(nowMs + FRESH_MS);
  });

  test("starts again when it was stopped for so long that the log may have been purged, whatever Redis' clock says", async () => {
    let ownMs = 0;
    const cachedKeys = createCachedKeyRecords(redis, { now: () => new Date(nowMs) });
    const stopped = createChangeLogFollower(cachedKeys, createKeyChangeLog(database), { monotonicMs: () => ownMs });
    await stopped.follow();
    await stopped.follow();
    ownMs += 299_999;
    await stopped.follow();
    expect(stopped.followed()).toBeDefined();
    ownMs += 300_000;
    await stopped.follow();
    expect(stopped.followed()).toBeUndefined();
  });
});

test("a replica that cannot read the log counts as following until the end of its last read", async () => {
  const log = createKeyChangeLog(database);
  let isAway = false;
  const replica = setUp({
    readKeyChanges: async (cursor) => {
      if (isAway) throw new StoreUnavailable("away");
      return log.readKeyChanges(cursor);
    },
  });
  await replica.follow();
  await replica.follow();
  nowMs += LEASE_MS;
  const key = await replica.cachedKey();
  const untilMs = replica.follower.followed()?.untilMs ?? 0;
  isAway = true;
  await expect(replica.follow()).rejects.toThrow(StoreUnavailable);
  expect(replica.follower.followed()?.untilMs).toBe(untilMs);
  nowMs = START_MS + 2 * READ_MS + LEASE_MS + FRESH_MS;
  expect(await replica.isCached(key)).toBe(false);
});

test("a replica that is connected to a database server with fewer changes than the one before starts again", async () => {
  const log = createKeyChangeLog(database);
  /** The cursor of a server with more transactions than this one will ever have. */
  const ahead = "999999999999:999999999999:";
  let isBehind = false;
  const replica = setUp({ readKeyChanges: (cursor) => log.readKeyChanges(isBehind ? ahead : cursor) });
  await replica.follow();
  await replica.follow();
  expect(replica.follower.followed()).toBeDefined();
  isBehind = true;
  await replica.follow();
  expect(replica.follower.followed()).toBeUndefined();
});

test("entries of many changes are removed concurrently, 50 at a time", async () => {
  const keys = Array.from({ length: 120 }, () => newKey());
  for (const key of keys) await shared.keys.insertKey(key);
  const cachedKeys = createCachedKeyRecords(redis, { now: () => new Date(nowMs) });
  let [underWay, underWayMax, calls] = [0, 0, 0];
  const invalidate = async (hash: string) => {
    underWayMax = Math.max(underWayMax, ++underWay);
    calls += 1;
    return cachedKeys.invalidate(hash).finally(() => {
      underWay -= 1;
    });
  };
  const follower = createChangeLogFollower(
    { invalidate, serverState: () => cachedKeys.serverState() },
    createKeyChangeLog(database),
  );
  await follower.follow();
  await (await connect()).query("update api_keys set name = 'new' where key_id = any($1)", [
    keys.map(({ record }) => record.keyId),
  ]);
  await follower.follow();
  expect([underWayMax, calls]).toEqual([50, 120]);
});

test("a replica that is connected to another Redis starts again", async () => {
  const [first, second] = [await startOwnRedis(), await startOwnRedis()];
  const clients = [new Redis(first.url), new Redis(second.url)];
  const [one, two] = clients.map((client) => createCachedKeyRecords(client, { now: () => new Date(nowMs) }));
  if (one === undefined || two === undefined) throw new Error("unreachable");
  nowMs = START_MS;
  let current = one;
  const switched = { invalidate: (hash: string) => current.invalidate(hash), serverState: () => current.serverState() };
  const follower = createChangeLogFollower(switched, createKeyChangeLog(database));
  await follower.follow();
  nowMs += READ_MS;
  await follower.follow();
  expect(follower.followed()?.history).toBe((await one.serverState()).history);
  // The server changes between the two steps: the entry is removed from a server with another history.
  const key = newKey();
  await shared.keys.insertKey(key);
  await revoke(key);
  switched.serverState = () => one.serverState();
  current = two;
  await follower.follow();
  expect(follower.followed()).toBeUndefined();
  switched.serverState = () => two.serverState();
  await follower.follow();
  expect(follower.followed()).toBeUndefined();
  nowMs += READ_MS;
  await follower.follow();
  expect(follower.followed()?.history).toBe((await two.serverState()).history);
  for (const client of clients) client.disconnect();
  await Promise.all([first.stop(), second.stop()]);
});
