/** The state of a provider's key set, for the tenant that configured its URL. */
export interface KeySetReport {
  /** Why the latest fetch failed, as a phrase that names no host and no address. Undefined: it succeeded. */
  readonly problem: string | undefined;
  /** The keys that verify tokens now. Undefined: there are none, and every token is denied with `verifier_error`. */
  readonly inUse: KeysInUse | undefined;
}

export interface KeysInUse {
  /** When their fetch began. */
  readonly fetchedAt: Date;
  /** Members of the set. */
  readonly keyCount: number;
  /** The first of them, at most 32. */
  readonly keys: readonly KeyReport[];
}

export interface KeyReport {
  /** At most 256 characters. Undefined: it has none. */
  readonly kid: string | undefined;
  /** The values of a token's `alg` that the key verifies; none if it is unusable. */
  readonly algs: readonly string[];
  /** Why it is unusable, as what follows "the key". Undefined: it is usable. */
  readonly problem: string | undefined;
}

/** The number of usable keys among those that are reported. */
export function usableKeys({ keys }: KeysInUse): number {
  return keys.filter(({ problem }) => problem === undefined).length;
}
