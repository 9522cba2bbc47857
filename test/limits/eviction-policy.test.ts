import { Redis } from "ioredis";
import { afterEach, expect, inject, test } from "vitest";
import { evictionProblem } from "../../src/store/redis/eviction-policy.ts";
import { connectRedis } from "../../src/store/redis/redis-connection.ts";
import { startLatchkey } from "../harness/latchkey.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import { startOwnRedis, startRedisCluster } from "../servers/redis.ts";

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function problemAt(url: string): Promise<string | undefined> {
  const redis = await connectRedis(redisAt(url));
  return evictionProblem(redis).finally(() => redis.disconnect());
}

async function startLimited(policy: string, maxmemory = "10mb"): Promise<string> {
  const server = await startOwnRedis({ args: ["--maxmemory", maxmemory, "--maxmemory-policy", policy] });
  cleanUps.push(() => server.stop());
  return server.url;
}

test.each(["volatile-ttl", "volatile-random", "volatile-lfu", "allkeys-random", "allkeys-lfu"])(
  "a start warns of the policy %s, which evicts budgets in use",
  async (policy) => {
    expect(await problemAt(await startLimited(policy))).toMatch(
      new RegExp(
        `^the maxmemory-policy of Redis is ${policy}, which evicts .* noeviction, volatile-lru or allkeys-lru$`,
      ),
    );
  },
);

test.each(["noeviction", "volatile-lru", "allkeys-lru"])("%s is not one of them", async (policy) => {
  expect(await problemAt(await startLimited(policy))).toBeUndefined();
});

test("a policy without a limit of memory never evicts", async () => {
  expect(await problemAt(await startLimited("volatile-ttl", "0"))).toBeUndefined();
});

test("one node of a cluster with such a policy is enough", async () => {
  const cluster = await startRedisCluster();
  cleanUps.push(() => cluster.stop());
  expect(await problemAt(cluster.url)).toBeUndefined();
  const node = new Redis(cluster.nodes[2]?.url ?? "");
  await node.config("SET", "maxmemory", "10mb", "maxmemory-policy", "allkeys-random");
  node.disconnect();
  expect(await problemAt(cluster.url)).toContain("allkeys-random");
});

test("the warning is in the log of a service that starts, once", async () => {
  const url = await copyDatabase(inject("servingTemplate").adminUrl);
  cleanUps.push(() => dropDatabase(inject("postgresUrl"), url));
  const redis = redisAt(await startLimited("volatile-ttl"));
  const latchkey = await startLatchkey({ config: { storage: { kind: "postgres", url }, redis } });
  cleanUps.push(() => latchkey.close());
  const warnings = () => latchkey.logLines.filter((line) => line.includes("maxmemory-policy of Redis is volatile-ttl"));
  await expect.poll(warnings).toHaveLength(1);
});
