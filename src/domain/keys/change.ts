import type { Act } from "../audit/event.ts";
import type { Clock } from "../vocabulary/clock.ts";
import type { KeyChange, StoredChange } from "./key-change.ts";
import type { KeyDetails } from "./key-details.ts";
import type { KeyStore } from "./key-store.ts";
import { keyNotFound, possibleKeyId } from "./read.ts";

/**
 * Changes a key as `decide` says, under its row lock, and dates the change by `clock`. Every verb that changes a key
 * calls this. The date is taken before the change begins: when the change binds, the clock of every replica has passed
 * it, so that a key which ends at that date has ended everywhere. Throws `keyNotFound` if the tenant has no such key.
 */
export async function changeKey(
  ctx: { readonly keys: KeyStore; readonly clock: Clock },
  tenantId: string,
  keyId: string,
  decide: (current: KeyDetails, now: Date) => KeyChange,
  act: Act,
  making?: Parameters<KeyStore["updateKeyUnderLock"]>[4],
): Promise<KeyDetails> {
  const now = ctx.clock();
  const dateChange = (current: KeyDetails): StoredChange => dated(decide(current, now), now);
  const key = await ctx.keys.updateKeyUnderLock(tenantId, possibleKeyId(keyId), dateChange, act, making);
  if (key === undefined) throw keyNotFound();
  return key;
}

/** The change that changes nothing. */
export const UNCHANGED: KeyChange = { patch: {} };

function dated(change: KeyChange, now: Date): StoredChange {
  const changesNothing = Object.keys(change.patch).length === 0;
  return changesNothing ? change : { ...change, patch: { ...change.patch, updatedAt: now } };
}
