import { Redis } from "ioredis";
import { Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { reportRedisMemory } from "../../src/store/redis/redis-memory.ts";
import { startOwnRedis } from "../servers/redis.ts";

test("how much memory Redis uses, and may use, is in the metrics", async () => {
  const server = await startOwnRedis();
  const redis = new Redis(server.url);
  await redis.config("SET", "maxmemory", "67108864");
  const metrics = new Registry();
  const { close } = reportRedisMemory(redis, metrics);
  onTestFinished(async () => {
    close();
    redis.disconnect();
    await server.stop();
  });
  const reported = async (name: string) => (await metrics.getSingleMetric(name)?.get())?.values[0]?.value;
  await expect.poll(() => reported("latchkey_redis_memory_max_bytes")).toBe(67_108_864);
  expect(await reported("latchkey_redis_memory_used_bytes")).toBeGreaterThan(100_000);
});
