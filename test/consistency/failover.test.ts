import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterEach, describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../src/domain/store-unavailable.ts";
import { createCachedKeyRecords } from "../../src/store/redis/key-records.ts";
import { namesOf } from "../../src/store/redis/redis-names.ts";
import { type RedisServer, startOwnRedis } from "../servers/redis.ts";
import { newKey } from "../store/records.ts";
import { cacheRecord, leaseIn } from "./cache-record.ts";

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(args: readonly string[] = []): Promise<RedisServer> {
  const server = await startOwnRedis({ args });
  cleanUps.push(() => server.stop());
  return server;
}

function connect(server: RedisServer): Redis {
  const client = new Redis(server.url);
  cleanUps.push(() => client.disconnect());
  return client;
}

/** A primary and a replica that follows it. */
async function pair() {
  const primary = await start(["--repl-diskless-sync-delay", "0"]);
  const standby = await start(["--replicaof", `127.0.0.1 ${primary.port}`]);
  const [onPrimary, onStandby] = [connect(primary), connect(standby)];
  const link = () => onStandby.info("replication");
  await expect.poll(link, { timeout: 20_000 }).toContain("master_link_status:up");
  // The primary may not count the replica yet: it waits for the replica's first acknowledgement.
  await onPrimary.set("written", "");
  expect(await onPrimary.wait(1, 20_000)).toBe(1);
  return { primary, standby, onPrimary, onStandby };
}

describe("a replica of Redis that lags behind and is made the primary", () => {
  test("still has the entry of a key that was changed since, and it is not used", async () => {
    const { onPrimary, onStandby } = await pair();
    const key = newKey();
    const before = createCachedKeyRecords(onPrimary);
    await cacheRecord(before, key);
    await onPrimary.wait(1, 5_000);
    await onStandby.replicaof("NO", "ONE");
    await before.endChange(key.secretHash, "token");
    expect(await onStandby.exists(namesOf(key.secretHash).record)).toBe(1);
    const after = await createCachedKeyRecords(onStandby).lookUp(key.secretHash, false);
    expect(after.found).toBe(false);
  });

  test("still has a lease given before the change, and it stores no entry", async () => {
    const { onPrimary, onStandby } = await pair();
    const key = newKey();
    const before = createCachedKeyRecords(onPrimary, { leaseMs: 60_000 });
    const lease = leaseIn(await before.lookUp(key.secretHash, false));
    await onPrimary.wait(1, 5_000);
    await onStandby.replicaof("NO", "ONE");
    await before.endChange(key.secretHash, "token");
    expect(await onStandby.exists(namesOf(key.secretHash).guard)).toBe(1);
    const after = createCachedKeyRecords(onStandby);
    await after.store(key.secretHash, key.record, lease, false);
    expect((await after.lookUp(key.secretHash, false)).found).toBe(false);
  });

  test("serves new entries as soon as the old leases have expired", async () => {
    const { onPrimary, onStandby } = await pair();
    const key = newKey();
    const before = createCachedKeyRecords(onPrimary);
    await cacheRecord(before, key);
    await onPrimary.wait(1, 5_000);
    await onStandby.replicaof("NO", "ONE");
    const after = createCachedKeyRecords(onStandby);
    await cacheRecord(after, key);
    expect((await after.lookUp(key.secretHash, false)).found).toBe(true);
  });
});

test("a primary that became a replica, and keeps its connections, serves no more entries", async () => {
  const client = connect(await start());
  const cachedKeys = createCachedKeyRecords(client, {
    followed: () => ({ history: "none", sinceMs: 0, untilMs: Date.now() * 2 }),
  });
  const key = newKey();
  await cacheRecord(cachedKeys, key);
  expect((await cachedKeys.lookUp(key.secretHash, false)).found).toBe(true);
  // No server listens there, so it keeps its replication id.
  await client.replicaof("127.0.0.1", "1");
  await expect(cachedKeys.lookUp(key.secretHash, false)).rejects.toThrow(StoreUnavailable);
});

test("a replica that accepts writes stores no entries: its primary may undo an invalidation", async () => {
  const client = connect(await start(["--replica-read-only", "no", "--replicaof", "127.0.0.1 1"]));
  const cachedKeys = createCachedKeyRecords(client);
  const key = newKey();
  await cacheRecord(cachedKeys, key);
  expect(await client.exists(namesOf(key.secretHash).record)).toBe(0);
  expect((await cachedKeys.lookUp(key.secretHash, false)).found).toBe(false);
});

describe("a change that requires a replica of Redis ends only when one has replicated it", () => {
  test("so not while there is none, as for a primary that was cut off and replaced", async () => {
    const server = await start();
    const cachedKeys = createCachedKeyRecords(connect(server), { redisReplicas: { min: 1, redis: connect(server) } });
    await expect(cachedKeys.endChange(newKey().secretHash, "token")).rejects.toThrow(StoreUnavailable);
  });

  test("and it ends when there is one", async () => {
    const { onPrimary, primary } = await pair();
    const redisReplicas = { min: 1, redis: connect(primary) };
    await createCachedKeyRecords(onPrimary, { redisReplicas }).endChange(newKey().secretHash, "token");
  });

  test("so not while the replica hangs, and look-ups meanwhile do not wait", async () => {
    const { onPrimary, primary, standby } = await pair();
    const cachedKeys = createCachedKeyRecords(onPrimary, { redisReplicas: { min: 1, redis: connect(primary) } });
    const key = newKey();
    await cacheRecord(cachedKeys, key);
    process.kill(standby.pid, "SIGSTOP");
    const ended: string[] = [];
    const changes = Array.from({ length: 8 }, async (_, n) => {
      await expect(cachedKeys.endChange(newKey().secretHash, `token ${n}`)).rejects.toThrow(StoreUnavailable);
      ended.push("change");
    });
    const observer = connect(primary);
    await expect.poll(() => observer.info("clients"), { interval: 5 }).toContain("blocked_clients:1");
    expect((await cachedKeys.lookUp(key.secretHash, false)).found).toBe(true);
    ended.push("look-up");
    await Promise.all(changes);
    // Each change waits on its own, 250 ms.
    expect(ended.at(-1)).toBe("change");
  });

  test("and then no entry of the key is left", async () => {
    const { onPrimary, primary } = await pair();
    const cachedKeys = createCachedKeyRecords(onPrimary, { redisReplicas: { min: 1, redis: connect(primary) } });
    const key = newKey();
    await cacheRecord(cachedKeys, key);
    await cachedKeys.endChange(key.secretHash, "token");
    expect((await cachedKeys.lookUp(key.secretHash, false)).found).toBe(false);
  });
});

test("a Redis restarted from an old file still has the old entry, and it is not used", async () => {
  const dir = await mkdtemp(join(tmpdir(), "latchkey-redis-file-"));
  cleanUps.push(() => rm(dir, { recursive: true, force: true }));
  const key = newKey();
  const server = await start(["--dir", dir]);
  const client = connect(server);
  const before = createCachedKeyRecords(client, { freshMs: 600_000 });
  await cacheRecord(before, key);
  await client.save();
  await before.endChange(key.secretHash, "token");
  client.disconnect();
  process.kill(server.pid, "SIGKILL");
  const again = connect(await start(["--dir", dir]));
  expect(await again.exists(namesOf(key.secretHash).record)).toBe(1);
  expect((await createCachedKeyRecords(again).lookUp(key.secretHash, false)).found).toBe(false);
});
