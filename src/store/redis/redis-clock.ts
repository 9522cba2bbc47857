import type { Redis } from "ioredis";
import type { Clock } from "../../domain/ports/clock.ts";
import { isSingle, type RedisClient } from "./connection.ts";
import type { Copies } from "./key-records.ts";
import { ignoreOutage, withTimeout } from "./replies.ts";

/** In a cluster each key is judged by the clock of its own node: the slowest of them is ahead of none. */
export async function clockOfRedis(redis: RedisClient, copies: Copies, own: Clock): Promise<Clock> {
  const times = isSingle(redis)
    ? [(await copies.origin().catch(ignoreOutage))?.nowMs]
    : await Promise.all(redis.nodes("master").map(nowMsOf));
  // Counted from when the answers arrived, so that this clock is never ahead of Redis'.
  const toldMs = performance.now();
  const nowMs = Math.min(...times.flatMap((time) => time ?? []));
  return Number.isFinite(nowMs) ? () => new Date(nowMs + Math.floor(performance.now() - toldMs)) : own;
}

/** Undefined: it does not say, and nobody is judged by it now. */
async function nowMsOf(node: Redis): Promise<number | undefined> {
  const told = await withTimeout(node.time()).catch(ignoreOutage);
  if (told === undefined) return undefined;
  const [seconds, micros] = told;
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}
