import type { Act } from "../audit/event.ts";
import type { FoundKey, KeyIssuer, KeyUsage, SecretHash } from "../credentials/key.ts";
import type { IdempotentCall } from "../idempotency/idempotent-call.ts";
import type { KeyUses } from "../usage/uses.ts";
import type { Awaitable } from "../vocabulary/awaitable.ts";
import type { Page, PageRequest } from "../vocabulary/page.ts";
import type { KeyFilter } from "./filter.ts";
import type { NewKey, StoredChange } from "./key-change.ts";
import type { KeyDetails } from "./key-details.ts";
import type { PolicyCheck } from "./key-policy.ts";

/** The record of a key of any tenant. */
export type KeySearch =
  | { readonly by: "id"; readonly keyId: string }
  /** The beginning of the key, as far as it is stored. */
  | { readonly by: "prefix"; readonly prefix: string }
  | { readonly by: "secret"; readonly secretHash: SecretHash };

/**
 * Keys at rest. Every method may throw `StoreUnavailable`.
 *
 * Methods that serve a tenant take it as their first argument and treat another tenant's key as absent. Three serve all
 * tenants: the look-up by hash, which finds out the tenant, the operator's search, and the counting of uses.
 */
export interface KeyStore {
  /**
   * Records `act` in the audit trail, as every change does, in the same transaction. `check` throws for a key that goes beyond
   * the tenant's rules, which cannot change until the key is committed. Throws `IdempotentReplay`, and changes nothing, if the
   * same call has made a key within the last 24 hours.
   */
  insertKey(key: NewKey, act: Act, check?: PolicyCheck, call?: IdempotentCall): Promise<void>;
  /** The hot path: one indexed read, by the hash of the presented secret. */
  findKeyBySecretHash(secretHash: SecretHash): Awaitable<FoundKey | undefined>;
  findKey(tenantId: string, keyId: string): Promise<KeyDetails | undefined>;
  /** For the operator: keys of all tenants, newest first. */
  searchKeys(search: KeySearch, page: PageRequest): Promise<Page<KeyDetails>>;
  /** For looking up a key as its holder would, without the secret. */
  findSecretHash(tenantId: string, keyId: string): Promise<SecretHash | undefined>;
  /** In the filter's order, of equals the newest first. Last uses are those that are stored. */
  listKeys(tenantId: string, filter: KeyFilter, page: PageRequest): Promise<Page<KeyDetails>>;
  /** The issuers of the tenant's publishable keys that are not revoked, with their prefixes; each pair once, at most 100. */
  listIssuers(tenantId: string): Promise<readonly KeyIssuer[]>;
  /**
   * The only way to change a key: locks its row, passes the current record to `decide`, writes the change that `decide`
   * returns, and commits. A `check` of the change is called first, while the tenant's rules are locked. Resolves with the changed key when the change binds on every replica, or with undefined if
   * the tenant has no such key. If `decide` throws, everything is rolled back and the error is rethrown. An empty
   * change also waits until all replicas are up to date, because an earlier attempt may have failed before that.
   *
   * Throws `IdempotentReplay`, before `decide` is called, if `making.call` has made a key within the last 24 hours; else the
   * change makes the key `making.keyId`.
   */
  updateKeyUnderLock(
    tenantId: string,
    keyId: string,
    decide: (current: KeyDetails) => StoredChange,
    act: Act,
    making?: { readonly call: IdempotentCall; readonly keyId: string },
  ): Promise<KeyDetails | undefined>;
  /** All zero for a key that was never used, and for one that the tenant does not have. */
  readUsage(tenantId: string, keyId: string): Promise<KeyUsage>;
  /**
   * Adds to the stored counters and to the uses of each hour, all or nothing. Ignores a batch that was already stored within
   * the last day.
   */
  addUsage(batchId: string, uses: ReadonlyMap<string, KeyUses>): Promise<void>;
}
