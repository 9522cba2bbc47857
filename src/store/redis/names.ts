/** Names of what Redis keeps for one key. The same hash tag puts them into one slot of a cluster. */
export interface Names {
  /** The copy of the key's record. */
  readonly record: string;
  /** What the key has spent. */
  readonly budget: string;
  /** A lease to make the copy, or the mark of a change under way. */
  readonly guard: string;
}

/**
 * Versions that run side by side must agree on these names for ever: a change by one has to find the copies of the
 * other. What is kept under them may change; see the fields in `copies.lua.ts`.
 */
export function namesOf(id: string, prefix = PREFIX): Names {
  const base = `${prefix}:${hashTagOf(id)}`;
  return { record: `${base}:rec:${id}`, budget: budgetName(id, prefix), guard: `${base}:guard:${id}` };
}

export function budgetName(id: string, prefix = PREFIX): string {
  return `${prefix}:${hashTagOf(id)}:rl:${id}`;
}

/** What of a key's names decides on the node of a cluster: one of 4,096. */
export function hashTagOf(id: string): string {
  return `{${id.slice(-3, -1)}}`;
}

/** A key's id in Redis: the hash of its secret, since a request knows nothing else before the look-up. */
export function idOf(secretHash: Uint8Array): string {
  return Buffer.from(secretHash.buffer, secretHash.byteOffset, secretHash.byteLength).toString("base64url");
}

const PREFIX = "lk";
