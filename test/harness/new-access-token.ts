import type { NewAccessToken } from "../../src/domain/credentials/access-token.ts";
import { hashSecret } from "../../src/domain/credentials/secret.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { later } from "../store/records.ts";

/** A token for a key of a tenant of its own, as it would be issued, with the given fields. */
export function newAccessToken(fields: Partial<NewAccessToken> = {}): NewAccessToken {
  const keyId = fields.keyId ?? newId("key");
  return {
    tokenId: newId("tok"),
    tenantId: newId("ten"),
    keyId,
    secretHash: hashSecret(keyId),
    scopes: ["conversations:read"],
    userId: null,
    audience: "https://latchkey.example",
    confirmationJkt: null,
    ruleId: null,
    expiresAt: later(900_000),
    ...fields,
  };
}
