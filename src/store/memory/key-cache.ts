import { LRUCache } from "lru-cache";
import type { KeyRecord, SecretHash } from "../../domain/keys/key.ts";
import type { KeyInvalidation, KeyStore } from "../../domain/ports/keys.ts";

/** Estimated size of the cache: 100,000 usual keys, fewer if their texts are long. */
const BYTES_MAX = 150_000_000;
/** Estimated size of a record's objects, without its texts. */
const RECORD_BYTES = 1_000;

type Reads = Pick<KeyStore, "findKeyBySecretHash">;

export interface KeyCache extends KeyInvalidation {
  /** Returns reads that use the cache, and that fill it with what `keys` returns. */
  inFrontOf(keys: Reads): Reads;
}

/**
 * Caches key records in this process. Correct only if no other process changes keys, because nothing invalidates the
 * cache from outside.
 *
 * The protocol is that of Redis (docs/consistency.md) without its clocks. A read fills the cache only if no change of
 * the key was under way when the read began, and none has begun since. A change removes the entry when it begins. So a
 * request that arrives after a change was acknowledged finds no entry, or one that was read after the commit.
 *
 * Unknown hashes are not cached: guesses would evict real keys, and a key that is created later must be found. When the
 * cache is full, it evicts the least recently used entry. Expiry is checked at each request and needs no invalidation.
 */
export function createKeyCache(options: { bytesMax?: number } = {}): KeyCache {
  const { bytesMax = BYTES_MAX } = options;
  // Stored as the promise that a caller gets, so that a hit allocates nothing.
  const cachedKeys = new LRUCache<SecretHash, Promise<KeyRecord>>({ maxSize: bytesMax });
  /** For each key, the read under way that may fill the cache. A change removes it. */
  const fills = new Map<SecretHash, symbol>();
  /**
   * For each key, the number of changes under way. One whose outcome is unknown never ends: its key is not cached
   * again.
   */
  const changes = new Map<SecretHash, number>();

  async function readAndCache(secretHash: SecretHash, keys: Reads): Promise<KeyRecord | undefined> {
    const fill = Symbol();
    fills.set(secretHash, fill);
    try {
      const record = await keys.findKeyBySecretHash(secretHash);
      if (record !== undefined && fills.get(secretHash) === fill) {
        const size = RECORD_BYTES + JSON.stringify(record).length;
        cachedKeys.set(secretHash, Promise.resolve(frozen(record)), { size });
      }
      return record;
    } finally {
      if (fills.get(secretHash) === fill) fills.delete(secretHash);
    }
  }

  function endChange(secretHash: SecretHash): void {
    const others = (changes.get(secretHash) ?? 0) - 1;
    if (others > 0) changes.set(secretHash, others);
    else changes.delete(secretHash);
  }

  return {
    inFrontOf: (keys) => ({
      findKeyBySecretHash(secretHash) {
        const cached = cachedKeys.get(secretHash);
        if (cached !== undefined) return cached;
        return changes.has(secretHash) || fills.has(secretHash)
          ? keys.findKeyBySecretHash(secretHash)
          : readAndCache(secretHash, keys);
      },
    }),
    async beginChange(secretHash) {
      changes.set(secretHash, (changes.get(secretHash) ?? 0) + 1);
      fills.delete(secretHash);
      cachedKeys.delete(secretHash);
      return { end: async () => endChange(secretHash), abandon: async () => endChange(secretHash) };
    },
  };
}

/** Many requests share one record, so none of them may change it. */
function frozen(record: KeyRecord): KeyRecord {
  for (const part of [record.permissions, record.rateLimit, record.oidc, record.oidc?.requiredClaims]) {
    Object.freeze(part);
  }
  return Object.freeze(record);
}
