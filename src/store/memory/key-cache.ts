import { LRUCache } from "lru-cache";
import type { KeyRecord, SecretHash } from "../../domain/keys/key.ts";
import type { KeyStore } from "../../domain/ports/keys.ts";

/** Estimated size of the cache: 100,000 usual keys, fewer if their texts are long. */
const BYTES_MAX = 150_000_000;
/** Estimated size of a record's objects, without its texts. */
const RECORD_BYTES = 1_000;

type Reads = Pick<KeyStore, "findKeyBySecretHash">;

export interface KeyCache {
  /** Returns reads that use the cache, and that fill it with what `keys` returns. */
  inFrontOf(keys: Reads): Reads;
  /** Drops the record of a key, and lets no read under way fill it. */
  drop(secretHash: SecretHash): void;
  /** Drops it, and reads the key each time until the mark is taken away. A key may have several. */
  mark(secretHash: SecretHash, markId: string): void;
  unmark(secretHash: SecretHash, markId: string): void;
  /** Drops all records, and lets no read under way fill any. Marks stay. */
  clear(): void;
  /** What the cache has now. */
  readonly usage: { readonly records: number; readonly bytes: number };
}

/**
 * Caches key records in this process. Whoever knows of a change says so before it is acknowledged: in a process of its own
 * the change itself (`sole-process.ts`), else the look at PostgreSQL's list (`leases/replica.ts`).
 *
 * A read fills the cache only if nothing has dropped or marked the key since the read began. So a request that arrives
 * after a change was acknowledged finds no entry, or one that was read after the commit.
 *
 * Unknown hashes are not cached: guesses would evict real keys, and a key that is created later must be found. When the
 * cache is full, it evicts the least recently used entry. Expiry is checked at each request and needs no invalidation.
 */
export function createKeyCache(options: KeyCacheOptions = {}): KeyCache {
  const { bytesMax = BYTES_MAX, mayUse = () => true } = options;
  // Stored as the promise that a caller gets, so that a hit allocates nothing.
  const cachedKeys = new LRUCache<SecretHash, Promise<KeyRecord>>({ maxSize: bytesMax });
  /** For each key, the read under way that may fill the cache. */
  const fills = new Map<SecretHash, symbol>();
  /** The ids of each key's marks. */
  const marks = new Map<SecretHash, Set<string>>();

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

  function drop(secretHash: SecretHash): void {
    fills.delete(secretHash);
    cachedKeys.delete(secretHash);
  }

  return {
    inFrontOf: (keys) => ({
      // Without an await between `mayUse` and the look-up: in between the right could end, and begin anew (ADR 22).
      findKeyBySecretHash(secretHash) {
        if (!mayUse()) return keys.findKeyBySecretHash(secretHash);
        const cached = cachedKeys.get(secretHash);
        if (cached !== undefined) return cached;
        return marks.has(secretHash) || fills.has(secretHash)
          ? keys.findKeyBySecretHash(secretHash)
          : readAndCache(secretHash, keys);
      },
    }),
    drop,
    mark(secretHash, markId) {
      drop(secretHash);
      const ids = marks.get(secretHash);
      if (ids === undefined) marks.set(secretHash, new Set([markId]));
      else ids.add(markId);
    },
    unmark(secretHash, markId) {
      const ids = marks.get(secretHash);
      ids?.delete(markId);
      if (ids?.size === 0) marks.delete(secretHash);
    },
    clear() {
      fills.clear();
      cachedKeys.clear();
    },
    get usage() {
      return { records: cachedKeys.size, bytes: cachedKeys.calculatedSize };
    },
  };
}

export interface KeyCacheOptions {
  readonly bytesMax?: number;
  /** Whether the cache may be used now; asked at each look-up. Default: always. */
  readonly mayUse?: () => boolean;
}

/** Many requests share one record, so none of them may change it. */
function frozen(record: KeyRecord): KeyRecord {
  for (const part of [record.permissions, record.rateLimit, record.oidc, record.oidc?.requiredClaims]) {
    Object.freeze(part);
  }
  return Object.freeze(record);
}
