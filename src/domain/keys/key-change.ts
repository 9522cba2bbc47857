import type { KeyRecord, SecretHash } from "../credentials/key.ts";
import type { KeyLeak } from "./key-details.ts";
import type { GivenMember } from "./key-fields.ts";
import type { PolicyCheck } from "./key-policy.ts";

/** A key to store for the first time. */
export interface NewKey {
  readonly record: KeyRecord;
  readonly secretHash: SecretHash;
  /** Whether its creator made the secret, which the audit trail says. Default: false. */
  readonly isCallerMade?: boolean;
}

/** The fields of a record that a verb may change. */
export type KeyPatch = Partial<
  Pick<KeyRecord, GivenMember | "disabledAt" | "revokedAt" | "rotatedTo"> & { readonly leak: KeyLeak }
>;

/** What one verb does to a key, decided from its current record. */
export interface KeyChange {
  /** New values. Empty: the record stays as it is. */
  readonly patch: KeyPatch;
  /** A key to store in the same transaction: a rotation's successor. */
  readonly successor?: NewKey;
  /** Checks the change against the tenant's rules, in the same transaction. Absent: no rule is about it. */
  readonly check?: PolicyCheck;
}

/** A change as it is stored. `updatedAt` is set unless the change is empty. */
export interface StoredChange extends KeyChange {
  readonly patch: KeyPatch & { readonly updatedAt?: Date };
}
