import type { DenialReason } from "../vocabulary/denial.ts";

/** The state of a provider's key set, for the tenant that configured its URL. */
export interface KeySetReport {
  /** Why the latest fetch failed, as a phrase that names no host and no address. Undefined: it succeeded. */
  readonly problem: string | undefined;
  /** The keys that verify tokens now. Undefined: no keys, so every token is denied with `verifier_error`. */
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

/** What a key set means for every token that its keys should verify. */
export interface KeySetAssessment {
  /** Why every token is denied. Null: some may pass. */
  readonly denial: Extract<DenialReason, "verifier_error" | "jwt_invalid_signature"> | null;
  /** Why the latest fetch failed, as a sentence; empty if it succeeded. */
  readonly failure: string;
  /** The keys in use, as a sentence; empty without keys. */
  readonly found: string;
}

export function assessKeySet({ problem, inUse }: KeySetReport): KeySetAssessment {
  const failure = problem === undefined ? "" : `The key set at the key's jwksUrl could not be fetched: ${problem}.`;
  if (inUse === undefined) return { denial: "verifier_error", failure, found: "" };
  const usable = usableKeys(inUse);
  // A longer set may have a usable key beyond those that are reported.
  const denial = usable === 0 && inUse.keyCount === inUse.keys.length ? "jwt_invalid_signature" : null;
  const found = `Usable keys: ${usable} of ${inUse.keyCount}, fetched at ${inUse.fetchedAt.toISOString()}.`;
  return { denial, failure, found };
}
