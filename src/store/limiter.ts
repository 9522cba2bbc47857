import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";
import type { Limiter } from "../domain/limits/limiter-port.ts";
import type { Clock } from "../domain/ports.ts";
import { createMemoryLimiter } from "./memory/limiter.ts";
import { createBreaker } from "./redis/breaker.ts";
import { connectRedis } from "./redis/connection.ts";
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
    help: "1 while limits are enforced in Redis, 0 while Redis is away and each replica enforces them by itself.",
    registers: [metrics],
  });
  up.set(1);
  const redis = await connectRedis(redisUrl);
  const breaker = createBreaker({
    monotonicMs: () => performance.now(),
    onChange(isUp, err) {
      up.set(isUp ? 1 : 0);
      if (isUp) log.info("Redis is back: limits are enforced over all replicas again");
      else log.error({ err }, "Redis is away: limits are enforced per replica");
    },
  });
  return { limiter: createFailoverLimiter(createRedisLimiter(redis), local, breaker), close: () => redis.disconnect() };
}
