import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import type { NewKey } from "../../src/domain/keys/key.ts";
import { namesOf } from "../../src/store/redis/redis-names.ts";
import { startProxy } from "../servers/cuttable-proxy.ts";
import { type RedisServer, startOwnRedis } from "../servers/redis.ts";
import { newKey } from "../store/records.ts";
import { openSharedDatabase, type SharedDatabase } from "./database.ts";
import type { Replica, ReplicaOptions } from "./store-process.ts";
import { runTrials } from "./trials.ts";

/** Short, so that the waits of these tests take a second. */
const TIMES = { leaseMs: 300, freshMs: 700 };
/** How long a change waits at most, by `key-invalidation.ts`. */
const WAIT_MS = TIMES.leaseMs + TIMES.freshMs + 500;
const DISTURBANCES = { readDelayMs: 24, stepDelayMs: 4, evictions: 0.05, times: TIMES };
const CHAOS_TRIALS = inject("longForm") ? 1_000 : 60;

let database: SharedDatabase;
const cleanUps: (() => Promise<unknown>)[] = [];

// For each test its own, because replicas of another test would remove entries from Redis that this test needs.
beforeEach(async () => {
  database = await openSharedDatabase();
  cleanUps.push(database.close);
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function storedKey(): Promise<NewKey> {
  const key = newKey();
  await database.keys.insertKey(key);
  return key;
}

/** Keeps verifying until the returned function is called, which returns the results in order. */
function watch(replica: Replica, key: NewKey) {
  const found: { status: string; fromMs: number }[] = [];
  let isWatching = true;
  const watching = (async () => {
    while (isWatching) found.push(await replica.verify(key));
  })();
  return async () => {
    isWatching = false;
    await watching;
    return found;
  };
}

describe("Redis out of reach of the replica that revokes, and of no other", () => {
  async function partition(protocol: ReplicaOptions["protocol"] = "shared") {
    const proxy = await startProxy(Number(new URL(inject("redisUrl")).port));
    cleanUps.push(proxy.stop);
    const [revoker, verifier] = await Promise.all([
      database.start({ redisUrl: `redis://127.0.0.1:${proxy.port}`, times: TIMES }),
      database.start({ times: TIMES, protocol }),
    ]);
    return { proxy, revoker, verifier };
  }

  /** A key whose entry is no longer fresh, and is still used by the verifier. */
  async function keyWithAgedEntry(verifier: Replica): Promise<NewKey> {
    const redis = new Redis(inject("redisUrl"));
    cleanUps.push(async () => redis.disconnect());
    const key = await storedKey();
    const entryId = async () => {
      await verifier.verify(key);
      return redis.hget(namesOf(key.secretHash).record, "id");
    };
    const isAged = async () => {
      const earlier = await entryId();
      await sleep(TIMES.freshMs + 100);
      return earlier !== null && earlier === (await entryId());
    };
    await expect.poll(isAged, { timeout: 20_000 }).toBe(true);
    return key;
  }

  test("the acknowledgement waits until no entry is fresh, and until then entries were used", async () => {
    const { proxy, revoker, verifier } = await partition("fresh");
    proxy.cut();
    for (let n = 0; n < 3; n++) {
      const key = await storedKey();
      await verifier.verify(key);
      const stopWatching = watch(verifier, key);
      const startedMs = performance.now();
      await revoker.change("revoke", key);
      const tookMs = performance.now() - startedMs;
      expect((await verifier.verify(key)).status).toBe("revoked");
      const found = await stopWatching();
      expect(tookMs).toBeGreaterThanOrEqual(WAIT_MS);
      // Otherwise there was nothing to wait for, and this test proves nothing.
      expect(found.filter(({ status }) => status === "active").length).toBeGreaterThan(10);
      expect(found.at(-1)?.status).toBe("revoked");
    }
  });

  test("an entry that is older by then is not used after it either", async () => {
    const { proxy, revoker, verifier } = await partition();
    for (let n = 0; n < 3; n++) {
      const key = await keyWithAgedEntry(verifier);
      proxy.cut();
      await revoker.change("revoke", key);
      expect((await verifier.verify(key)).status).toBe("revoked");
      proxy.mend();
    }
  });

  test("unlike by a replica that uses older entries without reading the change log", async () => {
    const { proxy, revoker, verifier } = await partition("blind");
    const key = await keyWithAgedEntry(verifier);
    proxy.cut();
    await revoker.change("revoke", key);
    expect((await verifier.verify(key)).status).toBe("active");
  });

  test("a replica that was stopped meanwhile applies the change as soon as it continues", async () => {
    const { proxy, revoker, verifier } = await partition();
    const key = await keyWithAgedEntry(verifier);
    proxy.cut();
    verifier.pause();
    await revoker.change("revoke", key);
    verifier.resume();
    expect((await verifier.verify(key)).status).toBe("revoked");
  });

  test("as soon as Redis can be reached again, the change is acknowledged", async () => {
    const { proxy, revoker, verifier } = await partition();
    const key = await storedKey();
    await verifier.verify(key);
    proxy.cut();
    const change = revoker.change("revoke", key);
    await sleep(100);
    proxy.mend();
    const startedMs = performance.now();
    await change;
    expect(performance.now() - startedMs).toBeLessThan(WAIT_MS - 300);
    expect((await verifier.verify(key)).status).toBe("revoked");
  });

  test("disabling and enabling bind in the same way", async () => {
    const { proxy, revoker, verifier } = await partition();
    const key = await storedKey();
    await verifier.verify(key);
    proxy.cut();
    await revoker.change("disable", key);
    expect((await verifier.verify(key)).status).toBe("disabled");
    await revoker.change("enable", key);
    expect((await verifier.verify(key)).status).toBe("active");
  });

  test("a second revocation, after one that was not acknowledged, waits as the first did", async () => {
    const { proxy, revoker, verifier } = await partition();
    const key = await storedKey();
    await verifier.verify(key);
    proxy.cut();
    const first = revoker.change("revoke", key).catch(() => "gone");
    await sleep(100);
    await revoker.stop();
    expect(await first).toBe("gone");
    const { revoker: second, proxy: secondProxy } = await partition();
    secondProxy.cut();
    await second.change("revoke", key);
    expect((await verifier.verify(key)).status).toBe("revoked");
  });
});

describe("while Redis is disturbed all the time, an acknowledged revocation binds", () => {
  let server: RedisServer;

  const chaos = {
    "is flushed": async () => {
      await sleep(20);
      await flush(server.url);
    },
    "is stopped for a while": async () => {
      process.kill(server.pid, "SIGSTOP");
      await sleep(100 + Math.random() * 800);
      process.kill(server.pid, "SIGCONT");
      await sleep(300);
    },
    "is killed and started again": async () => {
      await server.stop();
      await sleep(Math.random() * 300);
      server = await startOwnRedis({ port: server.port });
      await sleep(400);
    },
  };

  test.each(Object.entries(chaos))(
    "Redis %s",
    async (_, disturb) => {
      server = await startOwnRedis();
      cleanUps.push(() => server.stop());
      const options = { ...DISTURBANCES, redisUrl: server.url };
      const [revoker, verifier] = await Promise.all([database.start(options), database.start(options)]);
      let isDone = false;
      const disturbing = (async () => {
        while (!isDone) await disturb();
      })();
      const stale = await runTrials(CHAOS_TRIALS, database.keys, revoker, [verifier]);
      isDone = true;
      await disturbing;
      expect(stale).toEqual({ atOnce: 0, later: 0 });
    },
    600_000,
  );
});

async function flush(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}
