import type { KeyRecord } from "../../src/domain/keys/key.ts";
import { hashSecret, makeSecret } from "../../src/domain/keys/secret.ts";
import { newKey } from "../store/records.ts";

/** A publishable key, and its row as another program may have written it. */
export function storedPublishableKey(fields: Partial<KeyRecord>) {
  const secret = makeSecret("publishable");
  const { record } = newKey({ type: "publishable", permissions: ["conversations:read"], ...fields });
  return { secret, tenant: record.tenantId, stored: { record, secretHash: hashSecret(secret) } };
}
