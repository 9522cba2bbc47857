import { Redis } from "ioredis";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import type { NewKey } from "../../src/domain/keys/key.ts";
import type { KeyChangeLog } from "../../src/domain/ports/keys.ts";
import { StoreUnavailable } from "../../src/domain/store-unavailable.ts";
import { type ChangesFollower, createChangesFollower, keepFollowing } from "../../src/store/redis/changes-follower.ts";
import { COPY_MS, type Copies, createCopies, LEASE_MS } from "../../src/store/redis/key-records.ts";
import type { SqlDatabase } from "../../src/store/sql/database.ts";
import { createKeyChangeLog } from "../../src/store/sql/key-changes.ts";
import { openDatabase } from "../../src/store/sql/open.ts";
import { START_MS } from "../limits/arbitraries.ts";
import { type PostgresServer, startOwnPostgres } from "../servers/postgres.ts";
import { startOwnRedis } from "../servers/redis.ts";
import { newKey } from "../store/records.ts";
import { openSharedDatabase, type SharedDatabase } from "./database.ts";
import { keepCopy, leaseIn } from "./keep-copy.ts";

const LOOK_MS = COPY_MS / 5;

/** Of its own: how far the list has been read depends on the open transactions of the whole server. */
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

/** What one replica would do, step by step, by a clock of Redis that the test sets. */
interface Setup {
  readonly follower: ChangesFollower;
  readonly copies: Copies;
  follow(afterMs?: number): Promise<void>;
  /** A key of which there is a copy that may grow old. */
  copiedKey(): Promise<NewKey>;
  isCopied(key: NewKey): Promise<boolean>;
}

function setUp(log: KeyChangeLog = createKeyChangeLog(database), on: Redis = redis): Setup {
  nowMs = START_MS;
  const copies = createCopies(on, { now: () => new Date(nowMs), followed: () => follower.followed() });
  const follower = createChangesFollower(copies, log);
  const isCopied = async (key: NewKey) => (await copies.look(key.secretHash, false)).found;
  return {
    follower,
    copies,
    isCopied,
    async follow(afterMs = LOOK_MS) {
      nowMs += afterMs;
      await follower.follow();
    },
    async copiedKey() {
      const key = newKey();
      await shared.keys.insertKey(key);
      await keepCopy(copies, key);
      expect(await isCopied(key)).toBe(true);
      return key;
    },
  };
}

/** A session with a transaction that has its number, as one that has written something. */
async function openTransaction(): Promise<pg.Client> {
  const client = await connect();
  await client.query("begin; select pg_current_xact_id()");
  return client;
}

/** Changes of a key that nobody has. */
async function list(changes: number, transactionId = "pg_current_xact_id()"): Promise<void> {
  await (await connect()).query(
    `insert into key_changes (secret_hash, transaction_id) select '\\x00', ${transactionId} from generate_series(1, ${changes})`,
  );
}

/** As somebody would who cannot reach Redis. */
async function revoke({ record: { tenantId, keyId } }: NewKey): Promise<void> {
  await shared.keys.mutateKey(tenantId, keyId, () => ({ patch: { revokedAt: new Date() } }));
}

describe("who follows the changes", () => {
  let replica: Setup;

  beforeEach(async () => {
    replica = setUp();
    await replica.follow();
    await replica.follow();
  });

  test("says so from the second look on: of copies made after it, for as long as a copy is young", async () => {
    const begun = setUp();
    await begun.follow(0);
    expect(begun.follower.followed()).toBeUndefined();
    await begun.follow();
    expect(begun.follower.followed()).toMatchObject({
      sinceMs: START_MS + LOOK_MS + LEASE_MS,
      untilMs: START_MS + LOOK_MS + COPY_MS,
    });
    await begun.follow();
    expect(begun.follower.followed()).toMatchObject({
      sinceMs: START_MS + LOOK_MS + LEASE_MS,
      untilMs: START_MS + 2 * LOOK_MS + COPY_MS,
    });
  });

  test("removes the copy of a key that somebody else changed, and of no other", async () => {
    const [key, other] = [await replica.copiedKey(), await replica.copiedKey()];
    await revoke(key);
    expect(await replica.isCopied(key)).toBe(true);
    await replica.follow();
    expect(await replica.isCopied(key)).toBe(false);
    expect(await replica.isCopied(other)).toBe(true);
  });

  test("takes the lease of a slow reader away, too", async () => {
    const key = newKey();
    await shared.keys.insertKey(key);
    const look = await replica.copies.look(key.secretHash, false);
    await revoke(key);
    await replica.follow();
    await replica.copies.keep(key.secretHash, key.record, leaseIn(look), false);
    expect(await replica.isCopied(key)).toBe(false);
  });

  test("leaves the mark of a change under way alone", async () => {
    const key = newKey();
    await shared.keys.insertKey(key);
    await replica.copies.beginChange(key.secretHash, "token");
    await revoke(key);
    await replica.follow();
    expect(await replica.copies.look(key.secretHash, false)).toEqual({ found: false, lease: "" });
  });

  test.each([
    ["changed", "update api_keys set revoked_at = now() where key_id = $1"],
    ["deleted", "delete from api_keys where key_id = $1"],
  ])("sees a key that was %s by hand", async (_, statement) => {
    const key = await replica.copiedKey();
    await (await connect()).query(statement, [key.record.keyId]);
    await replica.follow();
    expect(await replica.isCopied(key)).toBe(false);
  });

  test("is not bothered by keys that are only used", async () => {
    const key = await replica.copiedKey();
    const counts = { total: 1, successful: 1, failed: 0, lastUsedAt: new Date() };
    await shared.keys.addUsage("batch", new Map([[key.record.keyId, counts]]));
    await replica.follow();
    expect(await replica.isCopied(key)).toBe(true);
  });

  test("sees a change that is committed long after later ones", async () => {
    const [slow, quick] = [await replica.copiedKey(), await replica.copiedKey()];
    const client = await openTransaction();
    await client.query("update api_keys set revoked_at = now() where key_id = $1", [slow.record.keyId]);
    await revoke(quick);
    for (let looks = 0; looks < 3; looks++) await replica.follow();
    expect(await replica.isCopied(quick)).toBe(false);
    expect(await replica.isCopied(slow)).toBe(true);
    await client.query("commit");
    await replica.follow();
    expect(await replica.isCopied(slow)).toBe(false);
  });

  test("follows on, however much was changed since a transaction began that is still open", async () => {
    const job = await openTransaction();
    for (let pieces = 0; pieces < 2; pieces++) {
      await list(6_000);
      await replica.follow();
    }
    const key = await replica.copiedKey();
    await revoke(key);
    await replica.follow();
    expect(replica.follower.followed()?.untilMs).toBe(nowMs + COPY_MS);
    expect(await replica.isCopied(key)).toBe(false);
    await job.query("commit");
  });

  test("is not bothered by changes of transactions yet to come, as they are in a dump of another server", async () => {
    await list(10_001, "'999999999999'::xid8");
    await replica.follow();
    expect(replica.follower.followed()?.untilMs).toBe(nowMs + COPY_MS);
  });

  test("tells Redis once of a change, also while an older transaction is open", async () => {
    const client = await openTransaction();
    const key = await replica.copiedKey();
    await revoke(key);
    await replica.follow();
    const look = await replica.copies.look(key.secretHash, false);
    await replica.follow();
    // Told again, it would have taken this lease away.
    await replica.copies.keep(key.secretHash, key.record, leaseIn(look), false);
    expect(await replica.isCopied(key)).toBe(true);
    await client.query("commit");
  });

  test("begins anew when it has not looked for too long: what changed meanwhile is in no list any more", async () => {
    const before = replica.follower.followed();
    await replica.follow(COPY_MS);
    expect(replica.follower.followed()).toBeUndefined();
    await replica.follow();
    expect(replica.follower.followed()?.sinceMs).toBe((before?.untilMs ?? 0) + LOOK_MS + LEASE_MS);
  });

  test("begins anew when more was changed than it reads at once, and believes no copy from before", async () => {
    nowMs += LEASE_MS;
    const key = await replica.copiedKey();
    await revoke(key);
    await list(10_000);
    await replica.follow();
    expect(replica.follower.followed()).toBeUndefined();
    for (let looks = 0; looks < 4; looks++) await replica.follow();
    expect(replica.follower.followed()?.untilMs).toBe(nowMs + COPY_MS);
    nowMs = Math.max(nowMs, START_MS + 3 * LOOK_MS + LEASE_MS + COPY_MS);
    await replica.follow();
    expect(await replica.isCopied(key)).toBe(false);
  });

  test("tells of what changed while the clock of Redis was set back: its copy would be believed again", async () => {
    nowMs += LEASE_MS;
    await replica.follow();
    const [key, other] = [await replica.copiedKey(), await replica.copiedKey()];
    await revoke(key);
    await replica.follow(-15_000);
    for (let looks = 0; looks < 15; looks++) await replica.follow();
    expect([await replica.isCopied(key), await replica.isCopied(other)]).toEqual([false, true]);
  });

  test("follows no longer where the clock of Redis was set back, until it has read the list again", async () => {
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
    expect(cut.follower.followed()?.untilMs).toBe(nowMs + COPY_MS);
  });

  test("begins anew when it has stood still for so long that the list may have forgotten, whatever Redis' clock says", async () => {
    let ownMs = 0;
    const copies = createCopies(redis, { now: () => new Date(nowMs) });
    const stopped = createChangesFollower(copies, createKeyChangeLog(database), { monotonicMs: () => ownMs });
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

test("who cannot read the list goes on to the end of what it said, and then says no more than it knows", async () => {
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
  const key = await replica.copiedKey();
  const untilMs = replica.follower.followed()?.untilMs ?? 0;
  isAway = true;
  await expect(replica.follow()).rejects.toThrow(StoreUnavailable);
  expect(replica.follower.followed()?.untilMs).toBe(untilMs);
  nowMs = START_MS + 2 * LOOK_MS + LEASE_MS + COPY_MS;
  expect(await replica.isCopied(key)).toBe(false);
});

test("who is led to a database server that lacks what the one before had begins anew", async () => {
  const log = createKeyChangeLog(database);
  /** Of a server that has had more transactions than this one ever will. */
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

test("Redis is told of many changes side by side, some at once", async () => {
  const keys = Array.from({ length: 120 }, () => newKey());
  for (const key of keys) await shared.keys.insertKey(key);
  const copies = createCopies(redis, { now: () => new Date(nowMs) });
  let [underWay, underWayMax, told] = [0, 0, 0];
  const forget = async (hash: string) => {
    underWayMax = Math.max(underWayMax, ++underWay);
    told += 1;
    return copies.forget(hash).finally(() => {
      underWay -= 1;
    });
  };
  const follower = createChangesFollower({ forget, origin: () => copies.origin() }, createKeyChangeLog(database));
  await follower.follow();
  await (await connect()).query("update api_keys set name = 'new' where key_id = any($1)", [
    keys.map(({ record }) => record.keyId),
  ]);
  await follower.follow();
  expect([underWayMax, told]).toEqual([50, 120]);
});

test("who is led to another Redis begins anew", async () => {
  const [first, second] = [await startOwnRedis(), await startOwnRedis()];
  const clients = [new Redis(first.url), new Redis(second.url)];
  const [one, two] = clients.map((client) => createCopies(client, { now: () => new Date(nowMs) }));
  if (one === undefined || two === undefined) throw new Error("unreachable");
  nowMs = START_MS;
  let current = one;
  const led = { forget: (hash: string) => current.forget(hash), origin: () => current.origin() };
  const follower = createChangesFollower(led, createKeyChangeLog(database));
  await follower.follow();
  nowMs += LOOK_MS;
  await follower.follow();
  expect(follower.followed()?.history).toBe((await one.origin()).history);
  // In the middle of a look: the change is told to a server of another history than the one that was asked.
  const key = newKey();
  await shared.keys.insertKey(key);
  await revoke(key);
  led.origin = () => one.origin();
  current = two;
  await follower.follow();
  expect(follower.followed()).toBeUndefined();
  led.origin = () => two.origin();
  await follower.follow();
  expect(follower.followed()).toBeUndefined();
  nowMs += LOOK_MS;
  await follower.follow();
  expect(follower.followed()?.history).toBe((await two.origin()).history);
  for (const client of clients) client.disconnect();
  await Promise.all([first.stop(), second.stop()]);
});

test("keeping on, it tells when it cannot follow and when it can again, once each", async () => {
  const closing = new AbortController();
  const told: boolean[] = [];
  const outcomes = [true, false, false, true, true];
  let looks = 0;
  await keepFollowing(
    {
      follow: async () => {
        const isGood = outcomes[looks];
        looks += 1;
        if (looks === outcomes.length) queueMicrotask(() => closing.abort());
        if (isGood === false) throw new StoreUnavailable("away");
      },
    },
    { copyMs: 5, signal: closing.signal, onChange: (isFollowing) => void told.push(isFollowing) },
  );
  expect(told).toEqual([false, true]);
});

test("every column of a key is watched, but for its order and its last use", async () => {
  const admin = await connect();
  const unwatched = `
    select column_name from information_schema.columns where table_name = 'api_keys'
    except
    select event_object_column from information_schema.triggered_update_columns where trigger_name = $1`;
  for (const trigger of ["key_changed", "key_changes_listed"]) {
    const { rows } = await admin.query<{ column_name: string }>(unwatched, [trigger]);
    expect(rows.map(({ column_name }) => column_name).sort()).toEqual(["last_used_at", "seq"]);
  }
});
