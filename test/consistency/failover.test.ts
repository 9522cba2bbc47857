import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterEach, describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../src/domain/store-unavailable.ts";
import { createCopies } from "../../src/store/redis/key-records.ts";
import { namesOf } from "../../src/store/redis/names.ts";
import { type RedisServer, startOwnRedis } from "../servers/redis.ts";
import { newKey } from "../store/records.ts";
import { keepCopy, leaseIn } from "./keep-copy.ts";

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
  // By then the primary may still wait for the replica's first word before it counts it.
  await onPrimary.set("written", "");
  expect(await onPrimary.wait(1, 20_000)).toBe(1);
  return { primary, standby, onPrimary, onStandby };
}

describe("a replica of Redis that lags behind and is made the primary", () => {
  test("still has a copy whose key was changed since, and it is not believed", async () => {
    const { onPrimary, onStandby } = await pair();
    const key = newKey();
    const before = createCopies(onPrimary);
    await keepCopy(before, key);
    await onPrimary.wait(1, 5_000);
    await onStandby.replicaof("NO", "ONE");
    await before.endChange(key.secretHash, "token");
    expect(await onStandby.exists(namesOf(key.secretHash).record)).toBe(1);
    const after = await createCopies(onStandby).look(key.secretHash, false);
    expect(after.found).toBe(false);
  });

  test("still has a lease given before the change, and no copy is made by it", async () => {
    const { onPrimary, onStandby } = await pair();
    const key = newKey();
    const before = createCopies(onPrimary, { leaseMs: 60_000 });
    const lease = leaseIn(await before.look(key.secretHash, false));
    await onPrimary.wait(1, 5_000);
    await onStandby.replicaof("NO", "ONE");
    await before.endChange(key.secretHash, "token");
    expect(await onStandby.exists(namesOf(key.secretHash).guard)).toBe(1);
    const after = createCopies(onStandby);
    await after.keep(key.secretHash, key.record, lease, false);
    expect((await after.look(key.secretHash, false)).found).toBe(false);
  });

  test("serves new copies as soon as the old leases have expired", async () => {
    const { onPrimary, onStandby } = await pair();
    const key = newKey();
    const before = createCopies(onPrimary);
    await keepCopy(before, key);
    await onPrimary.wait(1, 5_000);
    await onStandby.replicaof("NO", "ONE");
    const after = createCopies(onStandby);
    await keepCopy(after, key);
    expect((await after.look(key.secretHash, false)).found).toBe(true);
  });
});

test("a primary that was made a replica, and keeps its connections, serves nothing any more", async () => {
  const client = connect(await start());
  const copies = createCopies(client, { followed: () => ({ history: "none", sinceMs: 0, untilMs: Date.now() * 2 }) });
  const key = newKey();
  await keepCopy(copies, key);
  expect((await copies.look(key.secretHash, false)).found).toBe(true);
  // It finds nobody there, so that its id stays what it was.
  await client.replicaof("127.0.0.1", "1");
  await expect(copies.look(key.secretHash, false)).rejects.toThrow(StoreUnavailable);
});

test("a replica that takes writes keeps no copies: what it is told may be undone by its primary", async () => {
  const client = connect(await start(["--replica-read-only", "no", "--replicaof", "127.0.0.1 1"]));
  const copies = createCopies(client);
  const key = newKey();
  await keepCopy(copies, key);
  expect(await client.exists(namesOf(key.secretHash).record)).toBe(0);
  expect((await copies.look(key.secretHash, false)).found).toBe(false);
});

describe("a change ends only when a replica of Redis has followed, where one must", () => {
  test("which it has not while there is none, as for a primary that was cut off and replaced", async () => {
    const server = await start();
    const copies = createCopies(connect(server), { followers: { min: 1, redis: connect(server) } });
    await expect(copies.endChange(newKey().secretHash, "token")).rejects.toThrow(StoreUnavailable);
  });

  test("which it has when there is one", async () => {
    const { onPrimary, primary } = await pair();
    const followers = { min: 1, redis: connect(primary) };
    await createCopies(onPrimary, { followers }).endChange(newKey().secretHash, "token");
  });

  test("which it has not while that one hangs, and look-ups meanwhile wait for nothing", async () => {
    const { onPrimary, primary, standby } = await pair();
    const copies = createCopies(onPrimary, { followers: { min: 1, redis: connect(primary) } });
    const key = newKey();
    await keepCopy(copies, key);
    process.kill(standby.pid, "SIGSTOP");
    const ended: string[] = [];
    const changes = Array.from({ length: 8 }, async (_, n) => {
      await expect(copies.endChange(newKey().secretHash, `token ${n}`)).rejects.toThrow(StoreUnavailable);
      ended.push("change");
    });
    const observer = connect(primary);
    await expect.poll(() => observer.info("clients"), { interval: 5 }).toContain("blocked_clients:1");
    expect((await copies.look(key.secretHash, false)).found).toBe(true);
    ended.push("look");
    await Promise.all(changes);
    // Each of them is waited for by itself, 250 ms.
    expect(ended.at(-1)).toBe("change");
  });

  test("and of the copies of a key none is left when it has", async () => {
    const { onPrimary, primary } = await pair();
    const copies = createCopies(onPrimary, { followers: { min: 1, redis: connect(primary) } });
    const key = newKey();
    await keepCopy(copies, key);
    await copies.endChange(key.secretHash, "token");
    expect((await copies.look(key.secretHash, false)).found).toBe(false);
  });
});

test("a Redis that comes back from an old file has the copy of then, and it is not believed", async () => {
  const dir = await mkdtemp(join(tmpdir(), "latchkey-redis-file-"));
  cleanUps.push(() => rm(dir, { recursive: true, force: true }));
  const key = newKey();
  const server = await start(["--dir", dir]);
  const client = connect(server);
  const before = createCopies(client, { copyMs: 600_000 });
  await keepCopy(before, key);
  await client.save();
  await before.endChange(key.secretHash, "token");
  client.disconnect();
  process.kill(server.pid, "SIGKILL");
  const again = connect(await start(["--dir", dir]));
  expect(await again.exists(namesOf(key.secretHash).record)).toBe(1);
  expect((await createCopies(again).look(key.secretHash, false)).found).toBe(false);
});
