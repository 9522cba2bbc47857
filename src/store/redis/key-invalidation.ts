import { setTimeout as sleep } from "node:timers/promises";
import type { SecretHash } from "../../domain/keys/key.ts";
import type { KeyInvalidation } from "../../domain/ports/keys.ts";
import { StoreUnavailable } from "../../domain/store-unavailable.ts";
import { type CachedKeyRecords, type CachedKeyRecordsOptions, FRESH_MS, LEASE_MS, newToken } from "./key-records.ts";
import { ignoreOutage } from "./redis-replies.ts";

const RETRY_MS = 250;
/** Allows for timers and clocks that run a little fast. */
const MARGIN_MS = 500;

/**
 * Makes a change of a key bind on all replicas before it is acknowledged.
 *
 * A Redis that this process cannot reach may still serve others. So the end of a change is retried until it succeeds,
 * or until every entry from before the commit is unusable: `LEASE_MS` until it is stored, plus `FRESH_MS` of use.
 */
export function createRedisKeyInvalidation(
  cachedKeys: CachedKeyRecords,
  options: Pick<CachedKeyRecordsOptions, "leaseMs" | "freshMs"> & {
    /** Called once for a change whose end has to wait. */
    readonly onWait: (cause: unknown) => void;
  },
): KeyInvalidation {
  const { leaseMs = LEASE_MS, freshMs = FRESH_MS, onWait } = options;
  const staleMsMax = leaseMs + freshMs + MARGIN_MS;

  async function endChange(secretHash: SecretHash, token: string): Promise<void> {
    const expiredMs = performance.now() + staleMsMax;
    for (let attempt = 1; ; attempt++) {
      try {
        return await cachedKeys.endChange(secretHash, token);
      } catch (err) {
        if (!(err instanceof StoreUnavailable)) throw err;
        if (attempt === 1) onWait(err.cause);
        const leftMs = expiredMs - performance.now();
        if (leftMs <= 0) return;
        await sleep(Math.min(RETRY_MS, leftMs));
      }
    }
  }

  return {
    async beginChange(secretHash) {
      const token = newToken();
      // Without the mark, `end` still waits as long as it must. Only a process that dies before `end` leaves entries
      // behind.
      await cachedKeys.beginChange(secretHash, token).catch(ignoreOutage);
      return {
        end: () => endChange(secretHash, token),
        abandon: () => cachedKeys.endChange(secretHash, token).catch(ignoreOutage),
      };
    },
  };
}
