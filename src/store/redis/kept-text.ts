import type { KeptText } from "../replicas/shared-history.ts";
import type { RedisClient } from "./redis-connection.ts";
import { withTimeout } from "./redis-replies.ts";

const REPLACE_SCRIPT = `
local function rank(text) return tonumber(string.match(text, '^%d+') or -1) end
local kept = redis.call('get', KEYS[1]) or ''
if kept == ARGV[1] or rank(kept) < rank(ARGV[2]) then redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
`;

/**
 * A text in Redis. Without the breaker of the limits: a Redis that is full or a replica answers reads, which would report it as back,
 * and a slow read would count as an outage of the limits.
 */
export function keepText(redis: RedisClient, name: string, timeoutMs: number): KeptText {
  return {
    read: () => withTimeout(redis.get(name), timeoutMs),
    async replace(before, after, lifeMs) {
      await withTimeout(redis.eval(REPLACE_SCRIPT, 1, name, before ?? "", after, lifeMs), timeoutMs);
    },
  };
}
