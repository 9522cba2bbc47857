import { randomBytes } from "node:crypto";
import type { Cluster, Redis } from "ioredis";
import { Registry } from "prom-client";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import type { Limiter } from "../../src/domain/limits/limiter.ts";
import { createLogger } from "../../src/observability/log/log.ts";
import { createRedisLimiter } from "../../src/store/limits/redis-limiter.ts";
import { connectSharedLimiter } from "../../src/store/limits/shared-limiter.ts";
import { connectRedis } from "../../src/store/redis/redis-connection.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { AWAY, BACK } from "../harness/redis-bench.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { startWaitMeter } from "../harness/waited.ts";
import { copyDatabase } from "../servers/postgres.ts";
import { type RedisCluster, type RedisServer, startRedisCluster } from "../servers/redis.ts";
import { spendAtOnce } from "./spend-at-once.ts";

const LIMIT = { requestsPerMinute: 7, requestsPerHour: 0, burstSize: 0 };

let cluster: RedisCluster;
let clients: (Redis | Cluster)[];

beforeAll(async () => {
  cluster = await startRedisCluster();
  clients = await Promise.all([connectRedis(redisAt(cluster.url)), connectRedis(redisAt(cluster.url))]);
});

afterAll(async () => {
  for (const client of clients ?? []) client.disconnect();
  await cluster?.stop();
});

describe("on a cluster of three nodes", () => {
  test("each of 300 keys is admitted exactly its limit by two replicas at once", async () => {
    const limiters = clients.map((client) => createRedisLimiter(client));
    const keyIds = newKeyIds(300);
    const admitted = new Map(keyIds.map((keyId) => [keyId, 0]));
    await Promise.all(
      keyIds.flatMap((keyId) =>
        Array.from({ length: 10 }, async (_, n) => {
          const decision = await limiters[n % 2]?.take(keyId, LIMIT);
          if (decision?.kind === "allow") admitted.set(keyId, (admitted.get(keyId) ?? 0) + 1);
        }),
      ),
    );
    expect(new Set(admitted.values())).toEqual(new Set([LIMIT.requestsPerMinute]));
  });

  test("keys are spread over all nodes", async () => {
    const sizes = await Promise.all(cluster.nodes.map(sizeOf));
    expect(Math.min(...sizes)).toBeGreaterThan(30);
  });

  test("1,000 requests with one key admit exactly the limit", async () => {
    const limiters = clients.map((client) => createRedisLimiter(client));
    const [keyId = ""] = newKeyIds(1);
    const limit = { requestsPerMinute: 0, requestsPerHour: 100, burstSize: 0 };
    const decisions = await Promise.all(Array.from({ length: 1_000 }, (_, n) => limiters[n % 2]?.take(keyId, limit)));
    expect(decisions.filter((decision) => decision?.kind === "allow")).toHaveLength(100);
  });

  test("1,000 requests and slices of one key admit exactly the limit, also where slices come back", async () => {
    const limiters = clients.map((client) => createRedisLimiter(client));
    const limit = { requestsPerMinute: 0, requestsPerHour: 500, burstSize: 0 };
    for (const keyId of newKeyIds(3)) expect(await spendAtOnce(limiters, keyId, limit)).toBe(500);
  });

  test("the users of keys of one tenant are counted in the slot of each key", async () => {
    const limiter = createRedisLimiter(clients[0] as Cluster, { usersMax: { ofKey: 2, ofTenant: 100 } });
    const limit = { ...LIMIT, perUser: { requestsPerMinute: 1, requestsPerHour: 0, burstSize: 0 } };
    const kinds = await Promise.all(
      newKeyIds(30).map(async (keyId) => {
        const found = [];
        for (const user of ["a", "a", "b", "c", "c"])
          found.push((await limiter.take(keyId, limit, { user, tenant: "t" })).kind);
        return found.join();
      }),
    );
    expect(new Set(kinds)).toEqual(new Set(["allow,deny,allow,allow,allow"]));
  });

  test("nodes that lost their scripts get them again", async () => {
    const limiter = createRedisLimiter(clients[0] as Cluster);
    const keyIds = newKeyIds(30);
    await Promise.all(keyIds.map((keyId) => limiter.take(keyId, LIMIT)));
    await Promise.all(cluster.nodes.map((node) => onNode(node, (client) => client.script("FLUSH"))));
    const decisions = await Promise.all(keyIds.map((keyId) => limiter.take(keyId, LIMIT)));
    expect(decisions.map(({ remaining }) => remaining)).toEqual(keyIds.map(() => LIMIT.requestsPerMinute - 2));
  });
});

// These come last, because they stop a node.
describe("with a node that", () => {
  describe("hangs", () => {
    let hung: RedisServer;
    /** Pairs of a key of the node that hangs and one of another node, each used once before. */
    let pairs: readonly (readonly [string, string])[];

    beforeAll(async () => {
      // As by default. The other nodes notice in the end; the test is about the time until then.
      await setNodeTimeout(15_000);
      hung = cluster.nodes[0] as RedisServer;
      const keyIds = newKeyIds(90);
      const limiter = createRedisLimiter(clients[0] as Cluster);
      await Promise.all(keyIds.map((keyId) => limiter.take(keyId, LIMIT)));
      const names = await onNode(hung, (client) => client.keys("*"));
      const own = keyIds.filter((keyId) => names.some((name) => name.endsWith(keyId)));
      const others = keyIds.filter((keyId) => !own.includes(keyId));
      pairs = own.slice(0, 10).map((keyId, n) => [keyId, others[n] ?? ""] as const);
    }, 60_000);

    afterAll(async () => {
      process.kill(hung.pid, "SIGCONT");
      await setNodeTimeout(1_000);
    });

    test("each replica limits its keys on its own, those of other nodes are still shared, and few callers wait", async () => {
      const { limiter, changes } = await replica();
      process.kill(hung.pid, "SIGSTOP");
      const ofHung: { ms: number; remaining: number }[] = [];
      const ofOthers: number[] = [];
      for (const [own, other] of pairs) {
        const waited = startWaitMeter();
        const { remaining } = await limiter.take(own, LIMIT);
        ofHung.push({ ms: waited(), remaining });
        const waitedForOther = startWaitMeter();
        expect((await limiter.take(other, LIMIT)).remaining).toBe(LIMIT.requestsPerMinute - 2);
        ofOthers.push(waitedForOther());
      }
      // In this process they have a new budget.
      expect(ofHung.map(({ remaining }) => remaining)).toEqual(pairs.map(() => LIMIT.requestsPerMinute - 1));
      expect(Math.max(...ofHung.map(({ ms }) => ms))).toBeLessThan(1_500);
      // This is what the circuit breaker is for: after three time-outs only probes wait for the node that hangs.
      expect(ofHung.filter(({ ms }) => ms > 400).length).toBeLessThanOrEqual(4);
      expect(Math.max(...ofOthers)).toBeLessThan(400);
      expect(changes()).toEqual([{ node: `127.0.0.1:${hung.port}`, isUp: false }]);
    });
  });

  test("is gone, every key is still limited, and the service logs which node it is", async () => {
    const { limiter } = await replica();
    const keyIds = newKeyIds(20);
    const storage = { kind: "postgres", url: await copyDatabase(inject("servingTemplate").adminUrl) } as const;
    const latchkey = await startLatchkey({ config: { redis: redisAt(cluster.url), storage } });
    const gone = cluster.nodes[2] as RedisServer;
    await gone.stop();
    for (const keyId of keyIds) {
      const kinds: string[] = [];
      for (let n = 0; n < 20; n++) kinds.push((await limiter.take(keyId, LIMIT)).kind);
      const admitted = kinds.filter((kind) => kind === "allow").length;
      expect(admitted).toBeGreaterThanOrEqual(LIMIT.requestsPerMinute);
      // Once where the node was, and once here.
      expect(admitted).toBeLessThanOrEqual(2 * LIMIT.requestsPerMinute);
    }
    await expectReportedBy(latchkey, gone).finally(latchkey.close);
  }, 120_000);
});

/** The limiter of a replica, and which nodes it has logged as away and back since. */
async function replica(): Promise<{ limiter: Limiter; changes: () => object[] }> {
  const lines: string[] = [];
  const log = createLogger("info", (line) => void lines.push(line));
  const clock = () => new Date();
  const context = {
    log,
    error: () => {},
    warn: () => {},
    metrics: new Registry(),
    clock,
    redisClock: undefined,
    redisTimeoutMs: 1_000,
  };
  const { limiter, close } = await connectSharedLimiter(redisAt(cluster.url), context);
  onTestFinished(close);
  const changes = () =>
    lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === AWAY || msg === BACK)
      .map(({ node, msg }) => ({ node, isUp: msg === BACK }));
  return { limiter, changes };
}

/** Uses keys of all nodes, and expects an answer for each request, the gauge at 0, and the node in the log. */
async function expectReportedBy(latchkey: Latchkey, gone: RedisServer): Promise<void> {
  const dashboard = await latchkey.dashboard();
  for (let n = 0; n < 30; n++) {
    const { key } = await latchkey.createKey(dashboard, { rate_limit: { requests_per_minute: 1 } });
    const use = async () => (await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key })).status;
    expect(await use()).toBe(200);
  }
  const outages = latchkey.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => /^Redis is away/.test(msg));
  expect(outages.map(({ node }) => node)).toContain(`127.0.0.1:${gone.port}`);
  const metrics = await fetch(`${latchkey.url}/metrics`).then((response) => response.text());
  expect(metrics).toMatch(/^latchkey_redis_up 0$/m);
}

async function setNodeTimeout(ms: number): Promise<void> {
  for (const node of cluster.nodes) {
    await onNode(node, (client) => client.call("CONFIG", "SET", "cluster-node-timeout", ms));
  }
}

function newKeyIds(count: number): string[] {
  return Array.from({ length: count }, () => randomBytes(32).toString("base64url"));
}

function sizeOf(node: RedisServer): Promise<number> {
  return onNode(node, (client) => client.dbsize());
}

async function onNode<T>(node: RedisServer, work: (client: Redis | Cluster) => Promise<T>): Promise<T> {
  const client = await connectRedis(redisAt(node.url));
  return work(client).finally(() => client.disconnect());
}
