import type { KeyStore, UsageRecorder } from "../ports.ts";
import { RequestFault } from "../request-fault.ts";
import type { KeyDetails, KeyUsage } from "./key.ts";

/** The same for an unknown key, a malformed id and another tenant's key, so that none can be told from another. */
export function keyNotFound(): RequestFault {
  return new RequestFault("not_found", "key_id: no such API key; list the keys to see those there are");
}

export async function getKey(keys: KeyStore, tenantId: string, keyId: string): Promise<KeyDetails> {
  const record = await keys.findKey(tenantId, keyId);
  if (record === undefined) throw keyNotFound();
  return record;
}

/** Sees every request that this process has answered; those of other replicas within a second. */
export async function getKeyUsage(
  ctx: { keys: KeyStore; usage: UsageRecorder },
  tenantId: string,
  keyId: string,
): Promise<KeyUsage> {
  await getKey(ctx.keys, tenantId, keyId);
  await ctx.usage.flush();
  return ctx.keys.readUsage(tenantId, keyId);
}
