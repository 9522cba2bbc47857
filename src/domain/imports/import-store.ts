import type { Act } from "../audit/event.ts";
import type { KeyDetails } from "../keys/key-details.ts";
import type { PolicyState } from "../keys/key-policy.ts";
import type { RequestFault } from "../vocabulary/request-fault.ts";
import type { PlannedKey } from "./plan.ts";

/** What became of a key. `taken`: another tenant has it. */
export type StoredOutcome =
  | { readonly kind: "created" | "exists"; readonly keyId: string }
  | { readonly kind: "taken" }
  | { readonly kind: "refused"; readonly fault: RequestFault };

export interface ImportCall {
  readonly act: Act;
  /** Whose the event of the call is. Null: of no tenant. */
  readonly tenantId: string | null;
  /** By which keys have expired. */
  readonly now: Date;
  /** Of rows that were refused before. */
  readonly refused: number;
  readonly isDryRun: boolean;
  /** Throws `RequestFault` for a key that goes beyond the rules of its tenant. */
  readonly check: (key: PlannedKey, state: PolicyState) => void;
}

/** Imported keys at rest. */
export interface ImportStore {
  /**
   * Stores the keys, all in one transaction, with an event for each of them and one for the call. Returns what became of each, in
   * their order. A key that is there already stays as it is. Throws `StoreUnavailable`.
   */
  importKeys(keys: readonly PlannedKey[], call: ImportCall): Promise<readonly StoredOutcome[]>;
  /** At most `most` keys of all tenants after one of them, in the order of their creation, with an event of the call. */
  exportKeys(page: { readonly after: number; readonly most: number }, act: Act): Promise<readonly StoredKey[]>;
}

/** A key with what is stored of its secret. */
export interface StoredKey extends Pick<PlannedKey, "secretHash" | "publicPart" | "digest"> {
  readonly details: KeyDetails;
  /** Its place in the order of creation. */
  readonly seq: number;
}
