import type { KeyRecord, SecretHash } from "../../domain/keys/key.ts";
import { spendsOnSight } from "../../domain/keys/status.ts";
import type { Admission, PresentedKey } from "../../domain/ports/admission.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { KeyStore } from "../../domain/ports/keys.ts";
import type { Limiter } from "../../domain/ports/limiter.ts";

export interface MemoryAdmission extends Admission {
  /** Returns what `present` would, for a key whose record was already read. */
  admit(secretHash: SecretHash, key: KeyRecord, spending: boolean): Promise<PresentedKey>;
}

/**
 * Admission with the limits and the clock of this process. It reads the key through `keys` at each request; `keys` must
 * return every change that was acknowledged before the read began.
 */
export function createMemoryAdmission(ctx: {
  readonly keys: Pick<KeyStore, "findKeyBySecretHash">;
  readonly limiter: Limiter;
  readonly clock: Clock;
  /** Awaited before a key is looked up. Default: the look-up starts at once. */
  readonly endOfTick?: () => Promise<void>;
}): MemoryAdmission {
  const { keys, limiter, clock, endOfTick } = ctx;

  async function admit(secretHash: SecretHash, key: KeyRecord, spending: boolean): Promise<PresentedKey> {
    const at = clock();
    const isSpent = spending && spendsOnSight(key, at);
    return { secretHash, key, at, decision: isSpent ? await limiter.take(key.keyId, key.rateLimit) : null };
  }

  return {
    admit,
    // An early record saves a round trip to Redis; here there is none to save.
    recall: () => undefined,
    async present(secretHash, spending) {
      if (endOfTick !== undefined) await endOfTick();
      const key = await keys.findKeyBySecretHash(secretHash);
      return key && (await admit(secretHash, key, spending));
    },
    take: ({ key }) => limiter.take(key.keyId, key.rateLimit),
    peek: ({ key }) => limiter.peek(key.keyId, key.rateLimit),
  };
}
