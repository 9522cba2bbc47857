import type { SecretHash } from "../../domain/keys/key.ts";

const PREFIX = "lk";

/**
 * Names of what Redis keeps for one key, by the hash of its secret: a request knows nothing else before the look-up. The
 * same hash tag puts them into one slot of a cluster.
 */
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
export function namesOf(secretHash: SecretHash): Names {
  const base = `${PREFIX}:${hashTagOf(secretHash)}`;
  return {
    record: `${base}:rec:${secretHash}`,
    budget: budgetName(secretHash),
    guard: `${base}:guard:${secretHash}`,
  };
}

export function budgetName(secretHash: SecretHash): string {
  return `${PREFIX}:${hashTagOf(secretHash)}:rl:${secretHash}`;
}

/** The hash tag, one of 4,096, which chooses the slot of a cluster. */
export function hashTagOf(secretHash: SecretHash): string {
  return `{${secretHash.slice(-3, -1)}}`;
}
