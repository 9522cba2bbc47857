import type { KeyStore } from "../ports.ts";
import type { KeyChange, KeyDetails, KeyRecord } from "./key.ts";
import { keyNotFound } from "./read.ts";

/** Changes a key under its row lock, or answers that there is none. Every verb that changes a key goes through here. */
export async function mutateKey(
  keys: KeyStore,
  tenantId: string,
  keyId: string,
  decide: (current: KeyRecord) => KeyChange,
): Promise<KeyDetails> {
  const key = await keys.mutateKey(tenantId, keyId, decide);
  if (key === undefined) throw keyNotFound();
  return key;
}

/** The change that changes nothing. */
export const UNCHANGED: KeyChange = { patch: {} };
