import { LRUCache } from "lru-cache";
import type { KeyRecord, SecretHash } from "../../domain/keys/key.ts";
import type { KeyCopies, KeyStore } from "../../domain/ports/keys.ts";

/** What the copies may take, estimated: 100,000 usual keys, fewer with long texts. */
const BYTES_MAX = 150_000_000;
/** A record as objects, beside its texts. */
const RECORD_BYTES = 1_000;

type Reads = Pick<KeyStore, "findKeyBySecretHash">;

export interface MemoryKeyCopies extends KeyCopies {
  /** Answers from the copies, and makes them from what `keys` reads. */
  inFrontOf(keys: Reads): Reads;
}

/**
 * Copies of keys in this process. Right only if no other process changes keys: nobody would tell us.
 *
 * The protocol is the one of Redis (docs/consistency.md) without its clocks: a read makes a copy only if no change was
 * under way when it began and none began since; a change removes the copy when it begins. So whoever asks after a
 * change was acknowledged finds no copy, or one that was read after the commit.
 *
 * Only keys that exist are copied: guesses would displace them, and a key made later must be found. When there is no
 * room, the copy used longest ago goes. Expiry is judged by whoever asks, and needs no change of the copy.
 */
export function createMemoryKeyCopies(options: { bytesMax?: number } = {}): MemoryKeyCopies {
  const { bytesMax = BYTES_MAX } = options;
  // Kept as the promise that a caller is given, so that a hit makes nothing.
  const copies = new LRUCache<SecretHash, Promise<KeyRecord>>({ maxSize: bytesMax });
  /** By key the read under way that may make a copy; a change takes it away. */
  const makers = new Map<SecretHash, symbol>();
  /** By key the number of changes under way. One whose outcome is unknown never ends: its key is read each time. */
  const changes = new Map<SecretHash, number>();

  async function readAndCopy(secretHash: SecretHash, keys: Reads): Promise<KeyRecord | undefined> {
    const maker = Symbol();
    makers.set(secretHash, maker);
    try {
      const record = await keys.findKeyBySecretHash(secretHash);
      if (record !== undefined && makers.get(secretHash) === maker) {
        copies.set(secretHash, Promise.resolve(frozen(record)), { size: RECORD_BYTES + JSON.stringify(record).length });
      }
      return record;
    } finally {
      if (makers.get(secretHash) === maker) makers.delete(secretHash);
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
        const copy = copies.get(secretHash);
        if (copy !== undefined) return copy;
        return changes.has(secretHash) || makers.has(secretHash)
          ? keys.findKeyBySecretHash(secretHash)
          : readAndCopy(secretHash, keys);
      },
    }),
    async beginChange(secretHash) {
      changes.set(secretHash, (changes.get(secretHash) ?? 0) + 1);
      makers.delete(secretHash);
      copies.delete(secretHash);
      return { end: async () => endChange(secretHash), abandon: async () => endChange(secretHash) };
    },
  };
}

/** One record is given to many requests. */
function frozen(record: KeyRecord): KeyRecord {
  for (const part of [record.permissions, record.rateLimit, record.oidc, record.oidc?.requiredClaims]) {
    Object.freeze(part);
  }
  return Object.freeze(record);
}
