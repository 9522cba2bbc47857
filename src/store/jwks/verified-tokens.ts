import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";

/**
 * Tokens that a key of one key set has verified, with their payloads. That is all it says: what a payload is worth is
 * judged anew at each request. It belongs to its key set, and through no other one anything in it can be found.
 */
export interface VerifiedTokens {
  /** The payload of a verified token, by `digestOf` it, before its `exp`. Undefined: it has to be verified. */
  payloadOf(digest: string, nowS: number): string | undefined;
  /** To be called only after a key of this set verified the token. `expS`: its own `exp`, in seconds. */
  remember(digest: string, payload: string, expS: number): void;
  /** Forgets everything for good: the key set is out of use. */
  close(): void;
}

/** Bounds in characters of payload, with `ENTRY_CHARS` more for each token. */
export interface TokenBounds {
  /** Over all key sets. Beyond it, what was used longest ago is forgotten. */
  readonly charsMax: number;
  /** Of one key set, so that a flood of its tokens, valid as they are, pushes out no more than this of the others'. */
  readonly charsOfSetMax: number;
}

/** About what holding an entry takes besides its payload, in bytes. It bounds their number, too. */
export const ENTRY_CHARS = 256;
/** 131,072 tokens at most, of one set a quarter of that; about 32 MB. */
const BOUNDS: TokenBounds = { charsMax: 131_072 * ENTRY_CHARS, charsOfSetMax: 32_768 * ENTRY_CHARS };

/** SHA-256 of all the text, in base64url: whoever sees our memory finds no token there, and no two share an entry. */
export function digestOf(token: string): string {
  return hash("sha256", token, "base64url");
}

interface Entry {
  readonly digest: string;
  /** As text, to be parsed anew each time: nobody can change what the next one reads, and its size is known. */
  readonly payload: string;
  readonly expS: number;
}

/** Opens the memory of one key set after the other. Together they keep to the bounds. */
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
      payloadOf(digest, nowS) {
        const entry = own.get(digest);
        if (entry === undefined) return undefined;
        if (nowS >= entry.expS) {
          own.delete(digest);
          return undefined;
        }
        // For its place in the order of use over all sets.
        ownerOf.get(entry);
        return entry.payload;
      },
      remember(digest, payload, expS) {
        if (isClosed) return;
        const entry = { digest, payload, expS };
        // This one first: a set that is full makes room among its own.
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
