import type { RedisServers } from "../../config/settings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import { createEndOfTick } from "../memory/end-of-tick.ts";
import { createKeyCache, type KeyCache } from "../memory/key-cache.ts";
import { createMemoryAdmission } from "../memory/memory-admission.ts";
import { createMemoryLimiter } from "../memory/memory-limiter.ts";
import { createSharedReads } from "../memory/shared-reads.ts";
import type { AdmissionBackend, AdmissionContext } from "./backend.ts";

/** Connects the configured backend: Redis, with this process as the fallback, or this process alone. */
export async function connectAdmission(redis: RedisServers | null, ctx: AdmissionContext): Promise<AdmissionBackend> {
  if (redis === null) return createMemoryBackend(ctx.clock, ctx.isSoleProcess ? createKeyCache() : undefined);
  const { connectRedisBackend } = await import("./redis-backend.ts");
  return connectRedisBackend(redis, ctx);
}

/** Caches keys in this process, or without a cache reads each key at each request. */
function createMemoryBackend(clock: Clock, cache: KeyCache | undefined): AdmissionBackend {
  const limiter = createMemoryLimiter(clock);
  return {
    invalidation: cache,
    keyClock: async () => clock,
    open(stored) {
      const keys = createSharedReads(stored);
      if (cache === undefined) return createMemoryAdmission({ keys, limiter, clock });
      // A cached key is found at once. Without waiting for the end of the tick, requests that came together would not
      // run beside each other.
      return createMemoryAdmission({ keys: cache.inFrontOf(keys), limiter, clock, endOfTick: createEndOfTick() });
    },
    close: () => {},
  };
}
