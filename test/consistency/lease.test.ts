// promise: keys.bind
import { setImmediate as nextTick } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import type { Times } from "../../src/store/replicas/times.ts";
import { ACT } from "../harness/act.ts";
import { startProxy, startSilentServer, type TcpProxy, type TcpServer } from "../servers/tcp.ts";
import { openSharedDatabase, type SharedDatabase } from "./database.ts";
import { monotonicMs, type Verification } from "./observations.ts";
import type { Stores, StoresHooks } from "./stores.ts";

/** Short, so that the waits of these tests take a second or two. */
const TIMES = { lease: 1_000, bound: 2_200, poll: 40, renewal: 250, mark: 100 };
/** A connection that is silent counts as broken after 4.5 s, and a new one after 3 s. */
const RECONNECTS = { timeout: 20_000, interval: 20 };

let database: SharedDatabase;
let admin: pg.Client;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  database = await openSharedDatabase();
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  cleanUps.push(database.close, () => admin.end());
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A replica whose way to PostgreSQL can be cut without a word: nothing is answered any more, and nothing is closed. */
interface Remote extends Stores {
  cutOff(): void;
  mend(): void;
}

async function openRemote(times: Partial<Times>): Promise<Remote> {
  const url = new URL(database.url);
  const port = Number(url.port);
  const proxy: TcpProxy = await startProxy(port);
  const silent: TcpServer = await startSilentServer();
  cleanUps.push(proxy.stop, silent.stop);
  url.port = String(proxy.port);
  const stores = await database.open({ databaseUrl: url.href, times });
  return Object.assign(stores, {
    cutOff() {
      proxy.redirect(silent.port);
      proxy.silenceOpenConnections();
    },
    mend: () => proxy.redirect(port),
  });
}

async function cachedKey(...replicas: readonly Stores[]): Promise<NewKey> {
  const key = await database.storedKey();
  for (const stores of replicas) {
    const isHit = async () => {
      const { reads } = stores;
      const { status } = await stores.verify(key);
      return `${status} ${stores.reads - reads}`;
    };
    await expect.poll(isHit, RECONNECTS).toBe("active 0");
  }
  return key;
}

/** Verifies until that fails, and returns what was found until then, and the failure. */
async function verifyUntilFailure(stores: Stores, key: NewKey): Promise<{ seen: Verification[]; err: unknown }> {
  const seen: Verification[] = [];
  for (;;) {
    try {
      seen.push(await stores.verify(key));
    } catch (err) {
      return { seen, err };
    }
    await nextTick();
  }
}

async function listed(): Promise<string[]> {
  const { rows } = await admin.query<{ replica_id: string }>("select replica_id from replicas");
  return rows.map(({ replica_id }) => replica_id);
}

async function timed(work: Promise<unknown>): Promise<number> {
  const fromMs = monotonicMs();
  await work;
  return monotonicMs() - fromMs;
}

describe("a replica that is cut off from PostgreSQL without a word", () => {
  test("uses its cache until its lease ends, and a change by another one waits for that", async () => {
    const revoker = await database.open({ times: TIMES });
    const remote = await openRemote(TIMES);
    const [key, other] = [await cachedKey(revoker, remote), await cachedKey(revoker, remote)];
    remote.cutOff();
    const cutMs = monotonicMs();
    let answeredMs = Number.NaN;
    const change = timed(revoker.change("revoke", key)).finally(() => (answeredMs = monotonicMs()));
    const [found, foundOfOther] = await Promise.all([key, other].map((each) => verifyUntilFailure(remote, each)));
    expect(await change).toBeGreaterThan(TIMES.lease);
    for (const { seen, err } of [found, foundOfOther].filter((each) => each !== undefined)) {
      expect(err).toBeInstanceOf(StoreUnavailable);
      // Otherwise there was nothing to wait for.
      expect(seen.length).toBeGreaterThan(10);
      for (const { status, fromMs } of seen) {
        expect(status).toBe("active");
        expect(fromMs).toBeLessThan(cutMs + TIMES.lease);
        expect(fromMs).toBeLessThan(answeredMs);
      }
    }
    const later = await Promise.allSettled([remote.verify(key), remote.verify(key), remote.verify(other)]);
    expect(later).toMatchObject(later.map(() => ({ status: "rejected", reason: expect.any(StoreUnavailable) })));
    remote.mend();
    const statusOf = () => remote.verify(key).then(({ status }) => status, String);
    const seen = new Set<string>();
    await expect
      .poll(async () => {
        const status = await statusOf();
        seen.add(status);
        return status;
      }, RECONNECTS)
      .toBe("revoked");
    expect(seen).not.toContain("active");
  });

  test("is removed from the list, and when it is back applies what it missed, and nothing else", async () => {
    const revoker = await database.open({ times: TIMES });
    const remote = await openRemote(TIMES);
    const [missed, kept] = [await cachedKey(revoker, remote), await cachedKey(revoker, remote)];
    const before = await listed();
    expect(before).toHaveLength(2);
    remote.cutOff();
    await expect.poll(listed, RECONNECTS).toHaveLength(1);
    expect(remote.isHeld()).toBe(false);
    await revoker.change("revoke", missed);
    remote.mend();
    await expect.poll(listed, RECONNECTS).toHaveLength(2);
    // With a new row: nothing that was asked of the old one concerns it.
    expect((await listed()).filter((id) => before.includes(id))).toHaveLength(1);
    await expect.poll(() => remote.isHeld(), RECONNECTS).toBe(true);
    const { reads } = remote;
    expect((await remote.verify(kept)).status).toBe("active");
    expect(remote.reads).toBe(reads);
    expect((await remote.verify(missed)).status).toBe("revoked");
    expect(remote.reads).toBe(reads + 1);
  });

  test("unlike with a lease that is longer than changes wait, under which it accepts a revoked key", async () => {
    const times = { ...TIMES, lease: 20_000, bound: 500 };
    const revoker = await database.open({ times });
    const remote = await openRemote(times);
    const key = await cachedKey(revoker, remote);
    remote.cutOff();
    await revoker.change("revoke", key);
    expect((await remote.verify(key)).status).toBe("active");
  });
});

describe("a change waits for a replica that does not look", () => {
  /** A replica whose looks are held back until it is released. */
  async function openHeld() {
    const released = Promise.withResolvers<void>();
    let isHeldBack = false;
    const hooks: StoresHooks = { afterLook: () => (isHeldBack ? released.promise : Promise.resolve()) };
    const stores = await database.open({}, hooks);
    cleanUps.push(async () => released.resolve());
    return {
      stores,
      holdBack: () => (isHeldBack = true),
      release() {
        isHeldBack = false;
        released.resolve();
      },
    };
  }

  test("but is made after a moment, so that other replicas apply it", async () => {
    const [revoker, held] = await Promise.all([database.open(), openHeld()]);
    const key = await cachedKey(revoker, held.stores);
    held.holdBack();
    let isAnswered = false;
    const change = revoker.change("revoke", key).then(() => (isAnswered = true));
    await expect.poll(async () => (await revoker.verify(key)).status, RECONNECTS).toBe("revoked");
    expect([isAnswered, (await held.stores.verify(key)).status]).toEqual([false, "active"]);
    held.release();
    await change;
    expect((await held.stores.verify(key)).status).toBe("revoked");
  });

  test("also if it changes nothing, because an earlier attempt may have failed after its commit", async () => {
    const [revoker, held] = await Promise.all([database.open(), openHeld()]);
    const key = await cachedKey(revoker, held.stores);
    held.holdBack();
    // As an earlier attempt would have left it.
    await database.keys.updateKeyUnderLock(
      key.record.tenantId,
      key.record.keyId,
      () => ({
        patch: { revokedAt: new Date() },
      }),
      ACT,
    );
    let isAnswered = false;
    const change = revoker.change("revoke", key).then(() => (isAnswered = true));
    const marks = async () => (await admin.query("select from key_marks")).rowCount;
    await expect.poll(marks, { ...RECONNECTS, interval: 2 }).toBe(1);
    await expect.poll(marks, RECONNECTS).toBe(0);
    expect([isAnswered, (await held.stores.verify(key)).status]).toEqual([false, "active"]);
    held.release();
    await change;
    expect((await held.stores.verify(key)).status).toBe("revoked");
  });
});
