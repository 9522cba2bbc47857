import { Redis } from "ioredis";
import type { RedisClient } from "./redis-connection.ts";
import { withTimeout } from "./redis-replies.ts";

/**
 * With these a full Redis evicts budgets that are in use, and a key is admitted its limit again at each eviction. All
 * budgets have an expiry, so `volatile-` policies find them, too. LRU evicts the budgets that are idle, and `noeviction`
 * rejects writes, which counts as Redis away (docs/consistency.md has the measurements).
 */
const HARMFUL: ReadonlySet<string> = new Set([
  "allkeys-lfu",
  "allkeys-random",
  "volatile-lfu",
  "volatile-random",
  "volatile-ttl",
]);

/**
 * Returns what is wrong with the eviction policy of Redis, or of a node of a cluster, and what to do. Undefined: nothing,
 * or Redis has no limit of memory. Throws `StoreUnavailable` if Redis is away or forbids INFO.
 */
export async function evictionProblem(redis: RedisClient): Promise<string | undefined> {
  const nodes = redis instanceof Redis ? [redis] : redis.nodes("master");
  const infos = await Promise.all(nodes.map((node) => withTimeout(node.info("memory"))));
  return infos.map(problemIn).find((problem) => problem !== undefined);
}

/** Of the reply to INFO, which is allowed to more users than CONFIG. */
function problemIn(info: string): string | undefined {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? "";
  const isLimited = /^maxmemory:[1-9]/m.test(info);
  if (!isLimited || !HARMFUL.has(policy)) return undefined;
  return (
    `the maxmemory-policy of Redis is ${policy}, which evicts budgets in use when memory is full: a key is then admitted its ` +
    "limit again. Set it to noeviction, volatile-lru or allkeys-lru"
  );
}
