import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";
import type { Admission } from "../domain/keys/admission.ts";
import type { Clock, KeyCopies, KeyStore } from "../domain/ports.ts";
import { createLocalAdmission } from "./memory/admission.ts";
import { createMemoryLimiter } from "./memory/limiter.ts";
import { createSharedAdmission } from "./redis/admission.ts";
import { type Breaker, createBreaker } from "./redis/breaker.ts";
import { createKeyCopies } from "./redis/changes.ts";
import { connectRedis } from "./redis/connection.ts";
import { createCopies } from "./redis/copies.ts";
import { createRedisLimiter, type ScriptOptions } from "./redis/limiter.ts";

export interface AdmissionContext {
  readonly log: Logger;
  readonly metrics: Registry;
  /** Set by tests, instead of the process' clock and Redis'. */
  readonly testClock: Clock | undefined;
}

/** How requests with keys are admitted, and what a change of a key must do about it. */
export interface AdmissionBackend {
  /** Undefined: nothing is copied, every key is read where it is changed. */
  readonly copies: KeyCopies | undefined;
  open(keys: Pick<KeyStore, "findKeyBySecretHash">): Admission;
  close(): void;
}

/** Connects what the configuration asks for: Redis, with this process to fall back on, or this process alone. */
export async function connectAdmission(redisUrl: string | null, ctx: AdmissionContext): Promise<AdmissionBackend> {
  const { log, metrics, testClock } = ctx;
  const clock = testClock ?? (() => new Date());
  const limiter = createMemoryLimiter(clock);
  if (redisUrl === null) {
    return { copies: undefined, open: (keys) => createLocalAdmission({ keys, limiter, clock }), close: () => {} };
  }
  const redis = await connectRedis(redisUrl);
  const options: ScriptOptions = testClock === undefined ? {} : { now: testClock };
  // Sentinels replace a primary that they cannot reach. A cluster's primary stops by itself when it is cut off.
  const replicasMin = redisUrl.startsWith("redis+sentinel:") ? 1 : 0;
  const copies = createCopies(redis, { ...options, replicasMin });
  const shared = createRedisLimiter(redis, options);
  const breaker = createReportingBreaker(log, metrics);
  return {
    copies: createKeyCopies(copies, {
      onWait: (err) => log.warn({ err }, "a change of a key waits: Redis cannot be told of it"),
    }),
    open: (keys) =>
      createSharedAdmission({
        copies,
        breaker,
        keys,
        limiter: shared,
        local: createLocalAdmission({ keys, limiter, clock }),
      }),
    close: () => redis.disconnect(),
  };
}

function createReportingBreaker(log: Logger, metrics: Registry): Breaker {
  const up = new Gauge({
    name: "latchkey_redis_up",
    help: "1 while keys and limits are kept in Redis, 0 while it is away: keys come from the database, limits are per replica.",
    registers: [metrics],
  });
  up.set(1);
  return createBreaker({
    monotonicMs: () => performance.now(),
    onChange(isUp, err) {
      up.set(isUp ? 1 : 0);
      if (isUp) log.info("Redis is back: limits are enforced over all replicas again");
      else log.error({ err }, "Redis is away: limits are enforced per replica");
    },
  });
}
