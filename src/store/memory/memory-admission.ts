import type { KeyRecord, SecretHash } from "../../domain/keys/key.ts";
import { spendsOnSight } from "../../domain/keys/status.ts";
import type { Admission, PresentedKey } from "../../domain/ports/admission.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { KeyStore } from "../../domain/ports/keys.ts";
import type { Limiter } from "../../domain/ports/limiter.ts";

export interface MemoryAdmission extends Admission {
  /** What `present` answers for a key that was already read. */
  admit(secretHash: SecretHash, key: KeyRecord, spending: boolean): Promise<PresentedKey>;
}

/**
 * Admission by this process' limits and clock, and by what `keys` answers at each request: whoever gives them sees to it
 * that a change that was acknowledged is in it.
 */
export function createMemoryAdmission(ctx: {
  readonly keys: Pick<KeyStore, "findKeyBySecretHash">;
  readonly limiter: Limiter;
  readonly clock: Clock;
  /** Waited for before a key is looked up. Default: nothing is. */
  readonly turn?: () => Promise<void>;
}): MemoryAdmission {
  const { keys, limiter, clock, turn } = ctx;

  async function admit(secretHash: SecretHash, key: KeyRecord, spending: boolean): Promise<PresentedKey> {
    const at = clock();
    const isSpent = spending && spendsOnSight(key, at);
    return { secretHash, key, at, decision: isSpent ? await limiter.take(key.keyId, key.rateLimit) : null };
  }

  return {
    admit,
    // What is judged ahead saves a way to Redis; here there is none.
    recall: () => undefined,
    async present(secretHash, spending) {
      if (turn !== undefined) await turn();
      const key = await keys.findKeyBySecretHash(secretHash);
      return key && (await admit(secretHash, key, spending));
    },
    take: ({ key }) => limiter.take(key.keyId, key.rateLimit),
    peek: ({ key }) => limiter.peek(key.keyId, key.rateLimit),
  };
}
