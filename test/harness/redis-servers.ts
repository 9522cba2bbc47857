import { readConfig } from "../../src/config/config.ts";
import type { RedisServers } from "../../src/config/settings.ts";

/** What REDIS_URL names. */
export function redisAt(url: string): RedisServers {
  const { redis } = readConfig({ REDIS_URL: url });
  if (redis === null) throw new Error("no REDIS_URL was given");
  return redis;
}
