import { setTimeout as sleep } from "node:timers/promises";
import type { SecretHash } from "../../domain/keys/key.ts";
import type { KeyCopies } from "../../domain/ports/keys.ts";
import { StoreUnavailable } from "../../domain/store-unavailable.ts";
import { COPY_MS, type Copies, type CopiesOptions, LEASE_MS, newToken } from "./key-records.ts";
import { ignoreOutage } from "./replies.ts";

const RETRY_MS = 250;
/** For timers and clocks that run a little fast. */
const MARGIN_MS = 500;

/**
 * Makes changes of keys bind on all replicas before they are acknowledged.
 *
 * A Redis that cannot be reached from here may still serve others, so the end of a change is repeated until it is
 * done, or until every copy made before the commit has expired: `LEASE_MS` to be made and `COPY_MS` to live.
 */
export function createRedisKeyCopies(
  copies: Copies,
  options: Pick<CopiesOptions, "leaseMs" | "copyMs"> & {
    /** Called once for a change whose end had to wait. */
    readonly onWait: (cause: unknown) => void;
  },
): KeyCopies {
  const { leaseMs = LEASE_MS, copyMs = COPY_MS, onWait } = options;
  const staleMsMax = leaseMs + copyMs + MARGIN_MS;

  async function endChange(secretHash: SecretHash, token: string): Promise<void> {
    const expiredMs = performance.now() + staleMsMax;
    for (let attempt = 1; ; attempt++) {
      try {
        return await copies.endChange(secretHash, token);
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
      // Without the mark the end still waits for what it must. Only a process that dies before it leaves copies behind.
      await copies.beginChange(secretHash, token).catch(ignoreOutage);
      return {
        end: () => endChange(secretHash, token),
        abandon: () => copies.endChange(secretHash, token).catch(ignoreOutage),
      };
    },
  };
}
