import { hash } from "node:crypto";
import type { Cluster, Redis, Result } from "ioredis";
import type { RateLimit } from "../../domain/keys/key.ts";
import type { LimitDecision } from "../../domain/limits/decision.ts";
import { type Constraint, decisionOf } from "../../domain/limits/limiter.ts";
import type { Limiter } from "../../domain/limits/limiter-port.ts";
import type { Clock } from "../../domain/ports.ts";
import { StoreUnavailable } from "../../domain/request-fault.ts";
import { TAKE_SCRIPT } from "./take.lua.ts";

/**
 * One budget per key for all replicas: one script call per request, by EVALSHA.
 *
 * Keys are `<prefix>:{<2 hex>}:rl:<keyId>` and expire when idle: at most an hour after their last use, unless a bucket
 * takes longer to fill. The hash tag spreads them over 256 slots of a cluster and keeps what belongs to one key in one.
 *
 * The connection decides what an outage costs: set `commandTimeout`, `maxRetriesPerRequest: 0`, no offline queue and
 * no `autoResendUnfulfilledCommands`, for a command sent twice may spend twice.
 */
export function createRedisLimiter(
  redis: Redis | Cluster,
  options: {
    /** Default `lk`. */
    prefix?: string;
    /** Default `server`, Redis' own clock. Anything else is for tests: replicas' clocks differ. */
    now?: "server" | Clock;
  } = {},
): Limiter {
  const { prefix = "lk", now = "server" } = options;
  redis.defineCommand("latchkeyTake", { lua: TAKE_SCRIPT, numberOfKeys: 1 });

  async function run(keyId: string, limit: RateLimit, spending: 0 | 1): Promise<LimitDecision> {
    const { requestsPerMinute, requestsPerHour, burstSize } = limit;
    const clock = now === "server" ? [] : [now().getTime()];
    const reply = await redis
      .latchkeyTake(stateKey(prefix, keyId), requestsPerMinute, requestsPerHour, burstSize, spending, ...clock)
      .catch(translate);
    return decisionOf(parseReply(reply));
  }

  return {
    take: (keyId, limit) => run(keyId, limit, 1),
    async peek(keyId, limit) {
      const { limit: most, remaining, resetAt } = await run(keyId, limit, 0);
      return { limit: most, remaining, resetAt };
    },
  };
}

declare module "ioredis" {
  interface RedisCommander<Context> {
    latchkeyTake(key: string, ...args: number[]): Result<unknown, Context>;
  }
}

/** What of a key's names decides on the node of a cluster. */
export function hashTagOf(keyId: string): string {
  return `{${hash("sha256", keyId).slice(0, 2)}}`;
}

function stateKey(prefix: string, keyId: string): string {
  return `${prefix}:${hashTagOf(keyId)}:rl:${keyId}`;
}

function parseReply(reply: unknown): Constraint {
  const numbers = Array.isArray(reply) ? reply.map(Number) : [];
  const [limit, remaining, resetMs, waitMs] = numbers;
  if (
    limit === undefined ||
    remaining === undefined ||
    resetMs === undefined ||
    waitMs === undefined ||
    !numbers.every(Number.isSafeInteger)
  ) {
    throw new Error("The take script answered something else than four integers.");
  }
  return { limit, remaining, resetMs, waitMs };
}

/** Redis away, loading, full, read-only or refusing us is an outage. A fault of the script is a bug of ours. */
function translate(err: unknown): never {
  const isBug =
    err instanceof Error &&
    err.name === "ReplyError" &&
    /^(ERR (?!The user executing the script can't)|WRONGTYPE )/.test(err.message);
  throw isBug ? err : new StoreUnavailable(err);
}
