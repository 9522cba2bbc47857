import type { Admission } from "../../domain/ports/admission.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { KeyStore } from "../../domain/ports/keys.ts";
import type { Limiter } from "../../domain/ports/limiter.ts";
import { createEndOfTick } from "./end-of-tick.ts";

/**
 * Reads the key through `keys` at each request; `keys` must return every change that was acknowledged before the read
 * began.
 *
 * A cached key is found at once. Without waiting for the end of the tick, requests that came together would not run
 * beside each other.
 */
export function createAdmission(ctx: {
  readonly keys: Pick<KeyStore, "findKeyBySecretHash">;
  readonly limiter: Limiter;
  readonly clock: Clock;
}): Admission {
  const { keys, limiter, clock } = ctx;
  const endOfTick = createEndOfTick();
  return {
    async find(secretHash) {
      await endOfTick();
      const key = await keys.findKeyBySecretHash(secretHash);
      return key && { key, at: clock() };
    },
    take: ({ key }) => limiter.take(key.keyId, key.rateLimit),
    peek: ({ key }) => limiter.peek(key.keyId, key.rateLimit),
  };
}
