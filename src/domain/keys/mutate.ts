import type { KeyStore } from "../ports.ts";
import type { KeyChange, KeyRecord } from "./key.ts";
import { keyNotFound } from "./read.ts";

/** Changes a key under its row lock, or answers that there is none. Every verb that changes a key goes through here. */
export async function mutateKey(
  keys: KeyStore,
  tenantId: string,
  keyId: string,
  decide: (current: KeyRecord) => KeyChange,
): Promise<KeyRecord> {
  const record = await keys.mutateKey(tenantId, keyId, decide);
  if (record === undefined) throw keyNotFound();
  return record;
}

/** The change that changes nothing. */
export const UNCHANGED: KeyChange = { patch: {} };
