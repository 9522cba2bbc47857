import { randomUUID } from "node:crypto";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import type { RedisClient } from "./redis-connection.ts";
import { IDENTITY_NAME } from "./redis-names.ts";
import { withTimeout } from "./redis-replies.ts";

/**
 * Reads the id that Redis keeps beside the budgets, and makes one if it is absent. It is a random text that lives as
 * long as they do: a replica that is promoted has the same, a Redis that lost its data gets another. Throws
 * `StoreUnavailable`.
 */
export async function readRedisIdentity(redis: RedisClient): Promise<string> {
  await withTimeout(redis.set(IDENTITY_NAME, randomUUID(), "NX"));
  const identity = await withTimeout(redis.get(IDENTITY_NAME));
  if (identity === null) throw new StoreUnavailable(new Error("Redis did not keep its identity."));
  return identity;
}
