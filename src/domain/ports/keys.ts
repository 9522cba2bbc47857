import type { KeyDetails, KeyRecord, KeyUsage, KeyUses, NewKey, SecretHash, StoredChange } from "../keys/key.ts";
import type { KeyFilter } from "../keys/status.ts";
import type { Page, PageRequest } from "../page.ts";

/**
 * Keys at rest. Every method may throw `StoreUnavailable`.
 *
 * Methods that serve a tenant take it as their first argument and treat another tenant's key as absent. Two serve all
 * tenants: the look-up by hash, which finds out the tenant, and the counting of uses.
 */
export interface KeyStore {
  insertKey(key: NewKey): Promise<void>;
  /** The hot path: one indexed read, by the hash of the presented secret. */
  findKeyBySecretHash(secretHash: SecretHash): Promise<KeyRecord | undefined>;
  findKey(tenantId: string, keyId: string): Promise<KeyDetails | undefined>;
  /** For looking up a key as its holder would, without the secret. */
  findSecretHash(tenantId: string, keyId: string): Promise<SecretHash | undefined>;
  /** Newest first. */
  listKeys(tenantId: string, filter: KeyFilter, page: PageRequest): Promise<Page<KeyDetails>>;
  /**
   * The only way to change a key: locks its row, passes the current record to `decide`, writes the change that `decide`
   * returns, and commits. Resolves with the changed key when the change binds on every replica, or with undefined if
   * the tenant has no such key. If `decide` throws, everything is rolled back and the error is rethrown. An empty
   * change also waits until all replicas are up to date, because an earlier attempt may have failed before that.
   */
  updateKeyUnderLock(
    tenantId: string,
    keyId: string,
    decide: (current: KeyRecord) => StoredChange,
  ): Promise<KeyDetails | undefined>;
  /** All zero for a key that was never used, and for one that the tenant does not have. */
  readUsage(tenantId: string, keyId: string): Promise<KeyUsage>;
  /** Adds to the stored counters, all or nothing. Ignores a batch that was already stored within the last day. */
  addUsage(batchId: string, uses: ReadonlyMap<string, KeyUses>): Promise<void>;
}

/** Invalidates the cached records of a key around each change of it. */
export interface KeyInvalidation {
  /**
   * Called under the key's row lock, before the commit: from here on no replica may cache the record. An outage of the
   * cache does not stop the change.
   */
  beginChange(secretHash: SecretHash): Promise<{
    /** Called after the commit. Resolves once no replica can accept the key as it was before, and never sooner. */
    end(): Promise<void>;
    /** Called instead of the commit, when the transaction is rolled back. */
    abandon(): Promise<void>;
  }>;
}

/** The change log: the database lists every change of a key for some minutes, whatever program made it. */
export interface KeyChangeLog {
  /**
   * Returns the changes committed since the call that returned `cursor`, each of them once. With null it returns no
   * changes, only a cursor to start from. May throw `StoreUnavailable`.
   */
  readKeyChanges(cursor: string | null): Promise<KeyChanges>;
}

export interface KeyChanges {
  readonly cursor: string;
  /** The hash of the changed key, once for each change, in the order of the changes' numbers. */
  readonly changes: readonly SecretHash[];
  /**
   * False if changes are missing here: there are more than one call reads, or the cursor comes from another server that
   * was further ahead than this one.
   */
  readonly isAll: boolean;
}
