import type { KeyRecord, SecretHash } from "../../domain/keys/key.ts";
import type { Admission, PresentedKey } from "../../domain/ports/admission.ts";
import type { KeyStore } from "../../domain/ports/keys.ts";
import type { Limiter } from "../../domain/ports/limiter.ts";
import type { MemoryAdmission } from "../memory/memory-admission.ts";
import type { Breaker } from "./breaker.ts";
import type { CachedKeyRecords, LookUp } from "./key-records.ts";
import { hashTagOf } from "./redis-names.ts";
import { ignoreOutage } from "./redis-replies.ts";

export interface RedisAdmissionContext {
  /** Uses the same circuit breaker. */
  readonly cachedKeys: CachedKeyRecords;
  /** Limits in Redis; a budget's id is the hash of the secret. */
  readonly limiter: Limiter;
  readonly breaker: Breaker;
  readonly keys: Pick<KeyStore, "findKeyBySecretHash">;
  /** Decides while Redis is away. */
  readonly local: MemoryAdmission;
}

/**
 * Admission for any number of replicas. Record, limit and clock are in Redis: one round trip for a secret key, and for
 * a publishable key whose record this process has in memory.
 *
 * While Redis is away, each replica reads keys from the database and limits on its own, starting with a full budget.
 * Each replica may then admit a key's limit once more, but no key is ever unlimited, and a revoked key stays revoked.
 */
export function createRedisAdmission(ctx: RedisAdmissionContext): Admission {
  const { cachedKeys, limiter, breaker, keys, local } = ctx;

  /** Runs a command; resolves with undefined while Redis is away. */
  function runInRedis<T>(secretHash: SecretHash, command: () => Promise<T>): Promise<T | undefined> {
    return breaker.run(hashTagOf(secretHash), command).catch(ignoreOutage);
  }

  async function readAndStore(
    secretHash: SecretHash,
    { lease }: Extract<LookUp, { found: false }>,
    spending: boolean,
  ): Promise<PresentedKey | undefined> {
    const key: KeyRecord | undefined = await keys.findKeyBySecretHash(secretHash);
    if (key === undefined) return undefined;
    const stored = await cachedKeys.store(secretHash, key, lease, spending).catch(ignoreOutage);
    return stored === undefined ? local.admit(secretHash, key, spending) : { secretHash, key, ...stored };
  }

  return {
    recall: cachedKeys.recall,
    // Not async, so that the hot path has as few promises as possible.
    present: (secretHash, spending, checkedWith) =>
      cachedKeys.lookUp(secretHash, spending, checkedWith).then(
        (lookUp) => (lookUp.found ? lookUp : readAndStore(secretHash, lookUp, spending)),
        (err: unknown) => {
          ignoreOutage(err);
          return local.present(secretHash, spending);
        },
      ),
    async take(presented) {
      const { secretHash, key } = presented;
      return (await runInRedis(secretHash, () => limiter.take(secretHash, key.rateLimit))) ?? local.take(presented);
    },
    async peek(presented) {
      const { secretHash, key } = presented;
      return (await runInRedis(secretHash, () => limiter.peek(secretHash, key.rateLimit))) ?? local.peek(presented);
    },
  };
}
