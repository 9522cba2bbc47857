import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { RedisServers } from "../../config/settings.ts";
import type { Admission } from "../../domain/ports/admission.ts";
import type { Clock, KeyClock } from "../../domain/ports/clock.ts";
import type { KeyChangeLog, KeyCopies, KeyStore } from "../../domain/ports/keys.ts";
import { createTurn } from "../memory/end-of-tick.ts";
import { createMemoryKeyCopies, type MemoryKeyCopies } from "../memory/key-cache.ts";
import { createMemoryLimiter } from "../memory/limiter.ts";
import { createMemoryAdmission } from "../memory/memory-admission.ts";
import { createSharedReads } from "../memory/shared-reads.ts";

type Reads = Pick<KeyStore, "findKeyBySecretHash">;

export interface AdmissionContext {
  readonly log: Logger;
  readonly metrics: Registry;
  readonly clock: Clock;
  /** No other process can change keys, so that copies in this one need nobody else to be told. */
  readonly isSoleProcess: boolean;
  /** What tells the database of the keys from every other one. */
  readonly databaseId: () => Promise<string>;
  /** Set by tests, instead of Redis' own. */
  readonly redisClock: Clock | undefined;
}

/** How requests with keys are admitted, and what a change of a key must do about it. */
export interface AdmissionBackend {
  /** Undefined: nothing is copied, every key is read where it is changed. */
  readonly copies: KeyCopies | undefined;
  readonly keyClock: KeyClock;
  open(keys: Reads, changes: KeyChangeLog): Admission;
  close(): void;
}

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
