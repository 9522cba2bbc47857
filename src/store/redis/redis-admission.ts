import type { KeyRecord, SecretHash } from "../../domain/keys/key.ts";
import type { Admission, PresentedKey } from "../../domain/ports/admission.ts";
import type { KeyStore } from "../../domain/ports/keys.ts";
import type { Limiter } from "../../domain/ports/limiter.ts";
import type { MemoryAdmission } from "../memory/memory-admission.ts";
import type { Breaker } from "./breaker.ts";
import type { Copies, Look } from "./key-records.ts";
import { hashTagOf } from "./names.ts";
import { ignoreOutage } from "./replies.ts";

export interface RedisAdmissionContext {
  /** Behind the same breaker. */
  readonly copies: Copies;
  /** Limits in Redis, by the id of `names.ts`. */
  readonly limiter: Limiter;
  readonly breaker: Breaker;
  readonly keys: Pick<KeyStore, "findKeyBySecretHash">;
  /** What decides while Redis is away. */
  readonly local: MemoryAdmission;
}

/**
 * Admission on any number of replicas: record, limit and clock in Redis, one round trip for a secret key,
 * and for a publishable one whose record is known.
 *
 * While Redis is away each replica reads the key from the database and has a budget of its own, which begins full: a key
 * may then be admitted its limit once more by each replica, but is never unlimited, and a revoked one stays revoked.
 */
export function createRedisAdmission(ctx: RedisAdmissionContext): Admission {
  const { copies, limiter, breaker, keys, local } = ctx;

  /** What Redis answers; undefined while it is away. */
  function ask<T>(secretHash: SecretHash, command: () => Promise<T>): Promise<T | undefined> {
    return breaker.run(hashTagOf(secretHash), command).catch(ignoreOutage);
  }

  async function presentUncopied(
    secretHash: SecretHash,
    { lease }: Extract<Look, { found: false }>,
    spending: boolean,
  ): Promise<PresentedKey | undefined> {
    const key: KeyRecord | undefined = await keys.findKeyBySecretHash(secretHash);
    if (key === undefined) return undefined;
    const kept = await copies.keep(secretHash, key, lease, spending).catch(ignoreOutage);
    return kept === undefined ? local.admit(secretHash, key, spending) : { secretHash, key, ...kept };
  }

  return {
    recall: copies.recall,
    // Not async: the hot path has as few promises as can be.
    present: (secretHash, spending, judged) =>
      copies.look(secretHash, spending, judged).then(
        (look) => (look.found ? look : presentUncopied(secretHash, look, spending)),
        (err: unknown) => {
          ignoreOutage(err);
          return local.present(secretHash, spending);
        },
      ),
    async take(presented) {
      const { secretHash, key } = presented;
      return (await ask(secretHash, () => limiter.take(secretHash, key.rateLimit))) ?? local.take(presented);
    },
    async peek(presented) {
      const { secretHash, key } = presented;
      return (await ask(secretHash, () => limiter.peek(secretHash, key.rateLimit))) ?? local.peek(presented);
    },
  };
}
