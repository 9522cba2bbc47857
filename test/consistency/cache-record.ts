import type { NewKey } from "../../src/domain/keys/key.ts";
import type { CachedKeyRecords, LookUp } from "../../src/store/redis/key-records.ts";

/** Does what a reader does that finds no entry for a key: gets the lease, and stores the record. */
export async function cacheRecord(cachedKeys: Pick<CachedKeyRecords, "lookUp" | "store">, key: NewKey): Promise<void> {
  await cachedKeys.store(key.secretHash, key.record, leaseIn(await cachedKeys.lookUp(key.secretHash, false)), false);
}

/** The lease to store an entry; empty if there is an entry, or another reader has the lease. */
export function leaseIn(lookUp: LookUp): string {
  return lookUp.found ? "" : lookUp.lease;
}
