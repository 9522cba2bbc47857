import type { Cluster, Redis, Result } from "ioredis";
import type { RateLimit } from "../../domain/keys/key.ts";
import type { LimitDecision } from "../../domain/limits/decision.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Limiter } from "../../domain/ports/limiter.ts";
import { createBatches } from "../batches.ts";
import type { Breaker } from "./breaker.ts";
import { budgetName, hashTagOf } from "./redis-names.ts";
import { parseDecision, withTimeout } from "./redis-replies.ts";
import { TAKE_SCRIPT } from "./take.lua.ts";

export interface RedisLimiterOptions {
  /** Default: Redis' own clock, one for all replicas. Tests pass their own. */
  readonly now?: Clock | undefined;
  /** `Breaker.run`. Default: no circuit breaker. */
  readonly run?: Breaker["run"];
}

interface Take {
  readonly budgetId: string;
  readonly limit: RateLimit;
  /** 1 spends a request, 0 returns the state alone. */
  readonly spending: 0 | 1;
}

/** Words that the script returns for each budget. */
const WORDS = 4;

/**
 * Keeps one budget per key for all replicas. One script call, by EVALSHA, decides for up to eight requests that came
 * together (ADR 12).
 *
 * Budgets expire when idle: at most an hour after their last use, unless a bucket takes longer to fill.
 *
 * The options of the connection decide what an outage costs. Close a connection that stops responding; set
 * `maxRetriesPerRequest: 0`, no offline queue and no `autoResendUnfulfilledCommands`, because a command that is sent
 * twice may spend twice.
 */
export function createRedisLimiter(redis: Redis | Cluster, options: RedisLimiterOptions = {}): Limiter {
  const { now, run = (_, command) => command() } = options;
  redis.defineCommand("latchkeyTake", { lua: TAKE_SCRIPT });
  const takeInBatch = createBatches(takeAll);

  async function takeAll(takes: readonly Take[]): Promise<LimitDecision[]> {
    const names = takes.map(({ budgetId }) => budgetName(budgetId));
    const limits = takes.flatMap(({ limit, spending }) => [
      limit.requestsPerMinute,
      limit.requestsPerHour,
      limit.burstSize,
      spending,
    ]);
    const time = now === undefined ? "" : now().getTime();
    const command = () => withTimeout(redis.latchkeyTake(names.length, names, time, limits));
    const words = String(await run(hashTagOf(takes[0]?.budgetId ?? ""), command)).split(" ");
    if (words.length !== WORDS * takes.length) throw new Error("A script returned a wrong number of decisions.");
    return takes.map((_, n) => parseDecision(words, WORDS * n));
  }

  function take(budgetId: string, limit: RateLimit, spending: 0 | 1): Promise<LimitDecision> {
    // All budgets of one call must be in one slot of a cluster.
    return takeInBatch(redis.isCluster ? hashTagOf(budgetId) : "", { budgetId, limit, spending });
  }

  return {
    take: (budgetId, limit) => take(budgetId, limit, 1),
    async peek(budgetId, limit) {
      const { limit: most, remaining, resetAt } = await take(budgetId, limit, 0);
      return { limit: most, remaining, resetAt };
    },
  };
}

declare module "ioredis" {
  interface RedisCommander<Context> {
    latchkeyTake(...args: (string | number | readonly (string | number)[])[]): Result<unknown, Context>;
  }
}
