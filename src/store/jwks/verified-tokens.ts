import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { TokenKind } from "../../domain/tokens/claims.ts";

/**
 * A cache of the tokens that keys of one key set have verified, with their payloads. Claims are still checked at each
 * request. Each key set has its own cache, so that no token is found through another key set.
 */
export interface VerifiedTokens {
  /** The record of a verified token, by its `digestOf`, before its `exp`. Undefined: the token must be verified. */
  find(digest: string, nowS: number): KnownToken | undefined;
  /** Adds a token. Call it only after a key of this set verified the token. `expS`: the token's `exp`, in seconds. */
  add(digest: string, token: KnownToken, expS: number): void;
  /** Empties the cache for good: the key set is no longer used. */
  close(): void;
}

/** A verified token without its text. */
export interface KnownToken {
  /** As text, parsed at each request: no caller can change what the next one gets, and the size is known. */
  readonly payload: string;
  /** From its header. */
  readonly kind: TokenKind;
}

/** Bounds in characters of payload, with `ENTRY_CHARS` more for each token. */
export interface TokenBounds {
  /** Over all key sets. Beyond it, the least recently used entry is evicted. */
  readonly charsMax: number;
  /** For one key set, so that a flood of its valid tokens evicts no more than this of the others' entries. */
  readonly charsOfSetMax: number;
}

/** Approximate size of an entry besides its payload, in bytes. It bounds the number of entries, too. */
export const ENTRY_CHARS = 256;
/** At most 131,072 tokens, a quarter of that for one set; about 32 MB. */
const BOUNDS: TokenBounds = { charsMax: 131_072 * ENTRY_CHARS, charsOfSetMax: 32_768 * ENTRY_CHARS };

/** SHA-256 of the whole text, in base64url: a memory dump contains no token, and no two tokens share an entry. */
export function digestOf(token: string): string {
  return hash("sha256", token, "base64url");
}

interface Entry extends KnownToken {
  readonly digest: string;
  readonly expS: number;
}

/** Returns a function that creates the cache of one key set. All caches together keep to the bounds. */
export function createVerifiedTokenCaches({ charsMax, charsOfSetMax }: TokenBounds = BOUNDS): () => VerifiedTokens {
  const ownerOf = new LRUCache<Entry, LRUCache<string, Entry>>({
    maxSize: charsMax,
    sizeCalculation: (_own, entry) => charsOf(entry),
    disposeAfter(own, entry) {
      if (own.peek(entry.digest) === entry) own.delete(entry.digest);
    },
  });
  return () => {
    const own = new LRUCache<string, Entry>({
      maxSize: charsOfSetMax,
      sizeCalculation: charsOf,
      disposeAfter: (entry) => ownerOf.delete(entry),
    });
    let isClosed = false;
    return {
      find(digest, nowS) {
        const entry = own.get(digest);
        if (entry === undefined) return undefined;
        if (nowS >= entry.expS) {
          own.delete(digest);
          return undefined;
        }
        // Updates its place in the LRU order over all sets.
        ownerOf.get(entry);
        return entry;
      },
      add(digest, { payload, kind }, expS) {
        if (isClosed) return;
        const entry = { digest, payload, kind, expS };
        // The set's own cache first: a set that is full evicts one of its own entries.
        own.set(digest, entry);
        ownerOf.set(entry, own);
      },
      close() {
        isClosed = true;
        own.clear();
      },
    };
  };
}

function charsOf({ payload }: Entry): number {
  return payload.length + ENTRY_CHARS;
}
