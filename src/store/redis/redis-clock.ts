import type { Redis } from "ioredis";
import type { Clock } from "../../domain/ports/clock.ts";
import type { CachedKeyRecords } from "./key-records.ts";
import { isSingle, type RedisClient } from "./redis-connection.ts";
import { ignoreOutage, withTimeout } from "./redis-replies.ts";

/**
 * A clock that is never ahead of Redis' clock; `own` if Redis does not answer. In a cluster the expiry of a key is
 * checked by the clock of its own node, so this takes the slowest of all nodes.
 */
export async function clockOfRedis(redis: RedisClient, cachedKeys: CachedKeyRecords, own: Clock): Promise<Clock> {
  const times = isSingle(redis)
    ? [(await cachedKeys.serverState().catch(ignoreOutage))?.nowMs]
    : await Promise.all(redis.nodes("master").map(nowMsOf));
  // Counted from when the replies arrived, so that this clock is never ahead of Redis'.
  const repliedMs = performance.now();
  const nowMs = Math.min(...times.flatMap((time) => time ?? []));
  return Number.isFinite(nowMs) ? () => new Date(nowMs + Math.floor(performance.now() - repliedMs)) : own;
}

/** Undefined if the node does not answer: then no request uses its clock now. */
async function nowMsOf(node: Redis): Promise<number | undefined> {
  const time = await withTimeout(node.time()).catch(ignoreOutage);
  if (time === undefined) return undefined;
  const [seconds, micros] = time;
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}
