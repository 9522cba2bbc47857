import { LRUCache } from "lru-cache";
import type { KeyRecord } from "../../domain/keys/key.ts";
import type { KeyCopies, KeyStore } from "../../domain/ports.ts";

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
  const copies = new LRUCache<string, Promise<KeyRecord>>({ maxSize: bytesMax });
  /** By key the read under way that may make a copy; a change takes it away. */
  const makers = new Map<string, symbol>();
  /** By key the number of changes under way. One whose outcome is unknown never ends: its key is read each time. */
  const changes = new Map<string, number>();

  async function readAndCopy(id: string, secretHash: Uint8Array, keys: Reads): Promise<KeyRecord | undefined> {
    const maker = Symbol();
    makers.set(id, maker);
    try {
      const record = await keys.findKeyBySecretHash(secretHash);
      if (record !== undefined && makers.get(id) === maker) {
        copies.set(id, Promise.resolve(frozen(record)), { size: RECORD_BYTES + JSON.stringify(record).length });
      }
      return record;
    } finally {
      if (makers.get(id) === maker) makers.delete(id);
    }
  }

  function endChange(id: string): void {
    const others = (changes.get(id) ?? 0) - 1;
    if (others > 0) changes.set(id, others);
    else changes.delete(id);
  }

  return {
    inFrontOf: (keys) => ({
      findKeyBySecretHash(secretHash) {
        const id = idOf(secretHash);
        const copy = copies.get(id);
        if (copy !== undefined) return copy;
        return changes.has(id) || makers.has(id)
          ? keys.findKeyBySecretHash(secretHash)
          : readAndCopy(id, secretHash, keys);
      },
    }),
    async beginChange(secretHash) {
      const id = idOf(secretHash);
      changes.set(id, (changes.get(id) ?? 0) + 1);
      makers.delete(id);
      copies.delete(id);
      return { end: async () => endChange(id), abandon: async () => endChange(id) };
    },
  };
}

function idOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64url");
}

/** One record is given to many requests. */
function frozen(record: KeyRecord): KeyRecord {
  for (const part of [record.permissions, record.rateLimit, record.oidc, record.oidc?.requiredClaims]) {
    Object.freeze(part);
  }
  return Object.freeze(record);
}
