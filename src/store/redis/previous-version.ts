import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster, Redis, Result } from "ioredis";
import type { SecretHash } from "../../domain/credentials/key.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import type { Invalidation } from "../replicas/invalidation.ts";
import type { Breaker } from "./breaker.ts";
import { ignoreOutage, withTimeout } from "./redis-replies.ts";

/** How long the mark of a change keeps replicas of the previous version from caching the key. */
const MARK_MS = 60_000;
const RETRY_MS = 250;
/** After that, no replica of the previous version uses an entry that it had before: 2 s, 5 s and a margin. */
const STALE_MS_MAX = 7_500;

const BEGIN_SCRIPT = `
-- KEYS  record, guard
-- ARGV  the change's token, ms of its mark
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], 'change:' .. ARGV[1], 'PX', ARGV[2])
`;

/** Leaves the mark of a later change in place. */
const END_SCRIPT = `
-- KEYS  record, guard
-- ARGV  the change's token
redis.call('DEL', KEYS[1])
local guard = redis.pcall('GET', KEYS[2])
if type(guard) ~= 'string' or guard:sub(1, 7) ~= 'change:' or guard == 'change:' .. ARGV[1] then
  redis.call('DEL', KEYS[2])
end
`;

/**
 * Invalidates the records that replicas from before ADR 22 cache in Redis, for rolling deploys. Goes with the release after
 * the one that brings ADR 22.
 */
export function createPreviousInvalidation(
  redis: Redis | Cluster,
  options: { readonly run: Breaker["run"]; readonly onWait: (cause: unknown) => void },
): Pick<Invalidation, "beginChange"> {
  redis.defineCommand("latchkeyBeginChange", { lua: BEGIN_SCRIPT, numberOfKeys: 2 });
  redis.defineCommand("latchkeyEndChange", { lua: END_SCRIPT, numberOfKeys: 2 });

  async function end(secretHash: SecretHash, token: string): Promise<void> {
    const staleMs = performance.now() + STALE_MS_MAX;
    for (let attempt = 1; ; attempt++) {
      try {
        return void (await withTimeout(redis.latchkeyEndChange(...namesOf(secretHash), token)));
      } catch (err) {
        if (!(err instanceof StoreUnavailable)) throw err;
        if (attempt === 1) options.onWait(err.cause);
        const leftMs = staleMs - performance.now();
        if (leftMs <= 0) return;
        await sleep(Math.min(RETRY_MS, leftMs));
      }
    }
  }

  return {
    async beginChange(secretHash) {
      const token = randomUUID();
      const command = () => withTimeout(redis.latchkeyBeginChange(...namesOf(secretHash), token, MARK_MS));
      await options.run(tagOf(secretHash), command).catch(ignoreOutage);
      return {
        markId: null,
        end: () => end(secretHash, token),
        abandon: async () =>
          void (await withTimeout(redis.latchkeyEndChange(...namesOf(secretHash), token)).catch(ignoreOutage)),
      };
    },
  };
}

function namesOf(secretHash: SecretHash): [record: string, guard: string] {
  const base = `lk:${tagOf(secretHash)}`;
  return [`${base}:rec:${secretHash}`, `${base}:guard:${secretHash}`];
}

function tagOf(secretHash: SecretHash): string {
  return `{${secretHash.slice(-3, -1)}}`;
}

declare module "ioredis" {
  interface RedisCommander<Context> {
    latchkeyBeginChange(record: string, guard: string, token: string, markMs: number): Result<unknown, Context>;
    latchkeyEndChange(record: string, guard: string, token: string): Result<unknown, Context>;
  }
}
