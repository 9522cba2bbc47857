import type { KeptText } from "../replicas/shared-history.ts";
import type { Breaker } from "./breaker.ts";
import type { RedisClient } from "./redis-connection.ts";
import { withTimeout } from "./redis-replies.ts";

const REPLACE_SCRIPT = `
local function rank(text) return tonumber(string.match(text, '^%d+') or -1) end
local kept = redis.call('get', KEYS[1]) or ''
if kept == ARGV[1] or rank(kept) < rank(ARGV[2]) then redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
`;

/** A text in Redis. While Redis is away, it is asked as rarely as the breaker allows. */
export function keepText(redis: RedisClient, run: Breaker["run"], name: string, timeoutMs: number): KeptText {
  return {
    read: () => run(name, () => withTimeout(redis.get(name), timeoutMs)),
    replace: (before, after, lifeMs) =>
      run(name, async () => {
        await withTimeout(redis.eval(REPLACE_SCRIPT, 1, name, before ?? "", after, lifeMs), timeoutMs);
      }),
  };
}
