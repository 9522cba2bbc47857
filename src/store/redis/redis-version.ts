import type { RedisClient } from "./redis-connection.ts";
import { withTimeout } from "./redis-replies.ts";

/** The version of the server, such as `7.2.5`. Throws `StoreUnavailable`. */
export async function redisVersion(redis: RedisClient): Promise<string> {
  const info = await withTimeout(redis.info("server"));
  return /^redis_version:(\S+)/m.exec(info)?.[1] ?? "unknown";
}
