import type { Cluster, Redis, Result } from "ioredis";
import type { RateLimit } from "../../domain/keys/key.ts";
import type { LimitDecision } from "../../domain/limits/decision.ts";
import type { Limiter } from "../../domain/ports/limiter.ts";
import { budgetName } from "./redis-names.ts";
import { parseDecision, withTimeout } from "./redis-replies.ts";
import { type ScriptOptions, testTime } from "./script-clock.ts";
import { TAKE_SCRIPT } from "./take.lua.ts";

/**
 * Keeps one budget per key for all replicas: one script call per request, by EVALSHA.
 *
 * Budgets expire when idle: at most an hour after their last use, unless a bucket takes longer to fill.
 *
 * The options of the connection decide what an outage costs. Close a connection that stops responding; set
 * `maxRetriesPerRequest: 0`, no offline queue and no `autoResendUnfulfilledCommands`, because a command that is sent
 * twice may spend twice.
 */
export function createRedisLimiter(redis: Redis | Cluster, options: ScriptOptions = {}): Limiter {
  redis.defineCommand("latchkeyTake", { lua: TAKE_SCRIPT, numberOfKeys: 1 });

  async function run(id: string, limit: RateLimit, spending: 0 | 1): Promise<LimitDecision> {
    const { requestsPerMinute, requestsPerHour, burstSize } = limit;
    const reply = await withTimeout(
      redis.latchkeyTake(budgetName(id), requestsPerMinute, requestsPerHour, burstSize, spending, ...testTime(options)),
    );
    return parseDecision(Array.isArray(reply) ? reply : []);
  }

  return {
    take: (id, limit) => run(id, limit, 1),
    async peek(id, limit) {
      const { limit: most, remaining, resetAt } = await run(id, limit, 0);
      return { limit: most, remaining, resetAt };
    },
  };
}

declare module "ioredis" {
  interface RedisCommander<Context> {
    latchkeyTake(key: string, ...args: number[]): Result<unknown, Context>;
  }
}
