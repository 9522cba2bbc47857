import type { Clock } from "../ports/clock.ts";
import type { KeyStore } from "../ports/keys.ts";
import type { KeyChange, KeyDetails, KeyRecord, StoredChange } from "./key.ts";
import { keyNotFound, possibleKeyId } from "./read.ts";

/**
 * Changes a key under its row lock, or answers that there is none. Every verb that changes a key goes through here, and is
 * told by `clock` when it does.
 */
export async function mutateKey(
  ctx: { readonly keys: KeyStore; readonly clock: Clock },
  tenantId: string,
  keyId: string,
  decide: (current: KeyRecord, now: Date) => KeyChange,
): Promise<KeyDetails> {
  const key = await ctx.keys.mutateKey(tenantId, possibleKeyId(keyId), (current) => {
    const now = ctx.clock();
    return dated(decide(current, now), now);
  });
  if (key === undefined) throw keyNotFound();
  return key;
}

/** The change that changes nothing. */
export const UNCHANGED: KeyChange = { patch: {} };

function dated(change: KeyChange, now: Date): StoredChange {
  const changesNothing = Object.keys(change.patch).length === 0;
  return changesNothing ? change : { ...change, patch: { ...change.patch, updatedAt: now } };
}
