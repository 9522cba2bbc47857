import type { SecretHash } from "../../domain/keys/key.ts";

const PREFIX = "lk";

/**
 * The names under which Redis stores the data of one key, made from the hash of its secret, because a request has
 * nothing else before the look-up. The same hash tag puts them into one slot of a cluster.
 */
export interface Names {
  /** The cached record of the key. */
  readonly record: string;
  /** The state of the key's budget. */
  readonly budget: string;
  /** A lease to store the record, or the mark of a change under way. */
  readonly guard: string;
}

/**
 * These names must never change: versions run side by side, and a change made by one must find the entries of the
 * other. The values may change; see the fields in `key-records.lua.ts`.
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

/** The hash tag, one of 4,096. It decides the slot in a cluster. */
export function hashTagOf(secretHash: SecretHash): string {
  return `{${secretHash.slice(-3, -1)}}`;
}
