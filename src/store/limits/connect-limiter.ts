import type { RedisServers } from "../../config/settings.ts";
import type { ConnectedLimiter, LimiterContext } from "./connected-limiter.ts";
import { createMemoryLimiter } from "./memory-limiter.ts";

/** In place of the id of a Redis. */
const WITHOUT_REDIS = "none";

/** Budgets in Redis, with this process as the fallback, or only in this process. */
export async function connectLimiter(redis: RedisServers | null, ctx: LimiterContext): Promise<ConnectedLimiter> {
  if (redis === null) {
    return {
      limiter: createMemoryLimiter(ctx.clock),
      ofDashboardUsers: createMemoryLimiter(ctx.clock),
      isShared: () => false,
      readIdentity: async () => WITHOUT_REDIS,
      keepHistory: undefined,
      servers: "",
      signInWith: () => {},
      close: () => {},
    };
  }
  const { connectSharedLimiter } = await import("./shared-limiter.ts");
  return connectSharedLimiter(redis, ctx);
}
