import type { RedisServers } from "../../config/settings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import { createTurn } from "../memory/end-of-tick.ts";
import { createMemoryKeyCopies, type MemoryKeyCopies } from "../memory/key-cache.ts";
import { createMemoryLimiter } from "../memory/limiter.ts";
import { createMemoryAdmission } from "../memory/memory-admission.ts";
import { createSharedReads } from "../memory/shared-reads.ts";

import type { AdmissionBackend, AdmissionContext } from "./backend.ts";

/** Connects what the configuration asks for: Redis, with this process to fall back on, or this process alone. */
export async function connectAdmission(redis: RedisServers | null, ctx: AdmissionContext): Promise<AdmissionBackend> {
  if (redis === null) return admitAlone(ctx.clock, ctx.isSoleProcess ? createMemoryKeyCopies() : undefined);
  const { connectRedisBackend } = await import("./redis-backend.ts");
  return connectRedisBackend(redis, ctx);
}

/** With copies of keys in this process, or by reading each key at each request. */
function admitAlone(clock: Clock, copies: MemoryKeyCopies | undefined): AdmissionBackend {
  const limiter = createMemoryLimiter(clock);
  return {
    copies,
    keyClock: async () => clock,
    open(stored) {
      const keys = createSharedReads(stored);
      if (copies === undefined) return createMemoryAdmission({ keys, limiter, clock });
      // A copy is found at once: without a turn no request would wait for the others that came with it.
      return createMemoryAdmission({ keys: copies.inFrontOf(keys), limiter, clock, turn: createTurn() });
    },
    close: () => {},
  };
}
