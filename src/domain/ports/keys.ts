import type { KeyDetails, KeyRecord, KeyUsage, KeyUses, NewKey, SecretHash, StoredChange } from "../keys/key.ts";
import type { KeyFilter } from "../keys/status.ts";
import type { Page, PageRequest } from "../page.ts";

/**
 * Keys at rest. Every method may throw `StoreUnavailable`.
 *
 * The tenant is the first argument of everything a tenant can ask for: another tenant's key is absent. The lookup by
 * hash, which tells the tenant, and the counting of uses serve all tenants.
 */
export interface KeyStore {
  insertKey(key: NewKey): Promise<void>;
  /** The hot path: one indexed read, by the hash of the presented secret. */
  findKeyBySecretHash(secretHash: SecretHash): Promise<KeyRecord | undefined>;
  findKey(tenantId: string, keyId: string): Promise<KeyDetails | undefined>;
  /** For looking a key up as its holder would, without its secret. */
  findSecretHash(tenantId: string, keyId: string): Promise<SecretHash | undefined>;
  /** Newest first. */
  listKeys(tenantId: string, filter: KeyFilter, page: PageRequest): Promise<Page<KeyDetails>>;
  /**
   * The only way to change a key. Locks the row, asks `decide` what to do with the current record, writes, commits, and
   * answers the changed key once every replica goes by it; undefined if the tenant has no such key. What `decide` throws
   * rolls everything back. A change of nothing also waits for every replica: an earlier try may not have.
   */
  mutateKey(
    tenantId: string,
    keyId: string,
    decide: (current: KeyRecord) => StoredChange,
  ): Promise<KeyDetails | undefined>;
  /** Zeros for a key never used, as for one that the tenant does not have. */
  readUsage(tenantId: string, keyId: string): Promise<KeyUsage>;
  /** Adds to the stored counters, all or nothing. A batch stored before, within a day, is ignored. */
  addUsage(batchId: string, uses: ReadonlyMap<string, KeyUses>): Promise<void>;
}

/** What must happen around a change of a key, where copies of its record are kept outside the key store. */
export interface KeyCopies {
  /** Under the key's row lock, before the commit: no copy is made from here on. An outage does not stop the change. */
  beginChange(secretHash: SecretHash): Promise<{
    /** After the commit: resolves once no replica can accept the key as it was before. Never sooner. */
    end(): Promise<void>;
    /** Instead of the commit: nothing has changed. */
    abandon(): Promise<void>;
  }>;
}

/** The list of changes of keys, which the database itself keeps for some minutes, whoever makes the change and how. */
export interface KeyChangeLog {
  /**
   * The changes committed since the call that returned `cursor`, each once. With null: no changes, only a cursor to start
   * from. May throw `StoreUnavailable`.
   */
  readKeyChanges(cursor: string | null): Promise<KeyChanges>;
}

export interface KeyChanges {
  readonly cursor: string;
  /** The keys that were changed, in the order of their changes' numbers; one that was changed twice is there twice. */
  readonly changes: readonly SecretHash[];
  /**
   * False: some changes are not among these. There are more than are read at once, or the cursor is of another server, which
   * had what this one has not.
   */
  readonly isAll: boolean;
}
