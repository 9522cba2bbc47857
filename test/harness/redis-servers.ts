import { readConfig } from "../../src/config/config.ts";
import type { Environment } from "../../src/config/environment.ts";
import type { RedisServers } from "../../src/config/settings.ts";

/** What REDIS_URL names, with the variables that belong to it. */
export function redisAt(url: string, env: Environment = {}): RedisServers {
  const { redis } = readConfig({ ...env, REDIS_URL: url });
  if (redis === null) throw new Error("no REDIS_URL was given");
  return redis;
}
