import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import type { ConnectedLimiter } from "../store/limits/connected-limiter.ts";
import { createRedisGuard } from "../store/redis/redis-guard.ts";
import type { SqlDatabase } from "../store/sql/driver/database.ts";
import { createRedisHold } from "../store/sql/replicas/deployment-redis.ts";

export interface GuardsContext {
  readonly database: SqlDatabase;
  readonly limits: Pick<ConnectedLimiter, "isShared" | "readIdentity" | "servers">;
  readonly config: Pick<Config, "redisRequired" | "redisMoving">;
  readonly log: Logger;
}

/** What keeps this process from serving although its database responds. */
export interface Guards {
  /** Why it is not ready, in a sentence for operators. Undefined: nothing is wrong. */
  problem(): string | undefined;
  close(): Promise<void>;
}

/** An embedded database has one process, so its Redis cannot be another one than that of others. */
export async function startGuards({ database, limits, config, log }: GuardsContext): Promise<Guards> {
  const { isShared, readIdentity, servers } = limits;
  const away = () => (config.redisRequired && !isShared() ? "Redis is away, and REDIS_REQUIRED is true" : undefined);
  if (database.kind === "embedded") return { problem: away, close: async () => {} };
  const guard = createRedisGuard({
    servers,
    readIdentity,
    hold: createRedisHold(database),
    isMoving: config.redisMoving,
    log,
  });
  await guard.check();
  guard.start();
  return { problem: () => away() ?? guard.problem(), close: () => guard.close() };
}
