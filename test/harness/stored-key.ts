import type { KeyRecord, KeyType } from "../../src/domain/credentials/key.ts";
import { hashSecret, makeSecret } from "../../src/domain/credentials/secret.ts";
import { newKey } from "../store/records.ts";

/** A publishable key, and its row as another program may have written it. */
export function storedPublishableKey(fields: Partial<KeyRecord>) {
  return storedKey("publishable", { permissions: ["conversations:read"], ...fields });
}

/** A secret key, and its row as a version of the service with other rules has written it. */
export function storedSecretKey(fields: Partial<KeyRecord>) {
  return storedKey("secret", fields);
}

function storedKey(type: KeyType, fields: Partial<KeyRecord>) {
  const secret = makeSecret(type);
  const { record } = newKey({ type, ...fields });
  return { secret, tenant: record.tenantId, keyId: record.keyId, stored: { record, secretHash: hashSecret(secret) } };
}
