import { Redis } from "ioredis";
import { Gauge, type Registry } from "prom-client";
import { repeat } from "../../concurrency/repeat.ts";
import type { RedisClient } from "./redis-connection.ts";
import { withTimeout } from "./redis-replies.ts";

/** How often it is read. Memory fills in minutes. */
const INTERVAL_MS = 10_000;

interface Memory {
  readonly usedBytes: number;
  /** 0: Redis has no limit of memory. */
  readonly maxBytes: number;
}

/**
 * Reports how full Redis is, until `close`. A full one evicts budgets, or counts as away, and then everyone's limits loosen: no
 * error comes before that. A Redis that is away, or a user who may not run INFO, leaves the last value.
 */
export function reportRedisMemory(redis: RedisClient, metrics: Registry): { close(): void } {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [metrics] });
  const used = gauge("latchkey_redis_memory_used_bytes", "Memory that Redis uses; of a cluster, the fullest node's.");
  const max = gauge(
    "latchkey_redis_memory_max_bytes",
    "The maxmemory of Redis, 0 for none; of a cluster, the fullest node's.",
  );
  const read = async (): Promise<void> => {
    const memory = await fullestOf(redis).catch(() => undefined);
    if (memory === undefined) return;
    used.set(memory.usedBytes);
    max.set(memory.maxBytes);
  };
  const loop = repeat(read, { pollMs: INTERVAL_MS });
  return { close: () => void loop.stop() };
}

/** Undefined: no node of a cluster is known. Throws `StoreUnavailable`. */
async function fullestOf(redis: RedisClient): Promise<Memory | undefined> {
  const nodes = redis instanceof Redis ? [redis] : redis.nodes("master");
  const memories = await Promise.all(nodes.map(async (node) => memoryIn(await withTimeout(node.info("memory")))));
  return memories.toSorted((a, b) => shareOf(b) - shareOf(a))[0];
}

/** Of the reply to INFO. */
function memoryIn(info: string): Memory {
  return { usedBytes: numberOf(info, /^used_memory:(\d+)/m), maxBytes: numberOf(info, /^maxmemory:(\d+)/m) };
}

function numberOf(info: string, pattern: RegExp): number {
  return Number(pattern.exec(info)?.[1] ?? 0);
}

function shareOf({ usedBytes, maxBytes }: Memory): number {
  return maxBytes === 0 ? 0 : usedBytes / maxBytes;
}
