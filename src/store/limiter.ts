import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";
import type { Limiter } from "../domain/limits/limiter-port.ts";
import type { Clock } from "../domain/ports.ts";
import { createMemoryLimiter } from "./memory/limiter.ts";
import { createBreaker } from "./redis/breaker.ts";
import { connectRedis, nodeOf } from "./redis/connection.ts";
import { createFailoverLimiter } from "./redis/failover-limiter.ts";
import { createRedisLimiter } from "./redis/limiter.ts";

export interface LimiterContext {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Registry;
}

/** Opens the limiter the configuration asks for: in Redis, with this process to fall back on, or in this process. */
export async function openLimiter(
  redisUrl: string | null,
  { clock, log, metrics }: LimiterContext,
): Promise<{ limiter: Limiter; close: () => void }> {
  const local = createMemoryLimiter(clock);
  if (redisUrl === null) return { limiter: local, close: () => {} };
  const up = new Gauge({
    name: "latchkey_redis_up",
    help: "1 while limits are enforced in Redis, 0 while Redis, or a node of it, is away and each replica enforces them by itself.",
    registers: [metrics],
  });
  up.set(1);
  let connectionError: string | undefined;
  const redis = await connectRedis(redisUrl, ({ message }) => {
    connectionError = message;
  });
  const breaker = createBreaker({
    monotonicMs: () => performance.now(),
    nodeOf: (hashTag) => nodeOf(redis, hashTag),
    onChange({ node, isUp, allUp, cause: err }) {
      up.set(allUp ? 1 : 0);
      if (isUp) log.info({ node }, "Redis is back: limits are enforced over all replicas again");
      else log.error({ node, err, connectionError }, "Redis is away: limits are enforced per replica");
    },
  });
  if (redis.status !== "ready") breaker.trip(new Error("Redis did not answer at the start."));
  return { limiter: createFailoverLimiter(createRedisLimiter(redis), local, breaker), close: () => redis.disconnect() };
}
