import type { InsertObject, RawBuilder, Selectable } from "kysely";
import type { AccessTokenRecord, NewAccessToken } from "../../../domain/credentials/access-token.ts";
import { hashBytes, hashOf } from "../driver/hash-bytes.ts";
import type { Schema } from "../schema.ts";

/** All but the order of creation. */
export const TOKEN_COLUMNS = [
  "token_id",
  "tenant_id",
  "key_id",
  "secret_hash",
  "scopes",
  "user_id",
  "audience",
  "confirmation_jkt",
  "rule_id",
  "created_at",
  "expires_at",
  "revoked_at",
] as const;

export type TokenRow = Pick<Selectable<Schema["access_tokens"]>, (typeof TOKEN_COLUMNS)[number]>;

/** Written out, since a literal is the fastest object to make, and to read: requests read the cached record. */
export function tokenOf(row: TokenRow): AccessTokenRecord {
  return {
    tokenId: row.token_id,
    tenantId: row.tenant_id,
    keyId: row.key_id,
    secretHash: hashOf(row.secret_hash),
    scopes: row.scopes,
    userId: row.user_id,
    audience: row.audience,
    confirmationJkt: row.confirmation_jkt,
    ruleId: row.rule_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}

export function tokenRow(token: NewAccessToken, createdAt: RawBuilder<Date>): InsertObject<Schema, "access_tokens"> {
  return {
    token_id: token.tokenId,
    tenant_id: token.tenantId,
    key_id: token.keyId,
    secret_hash: hashBytes(token.secretHash),
    scopes: JSON.stringify(token.scopes),
    user_id: token.userId,
    audience: token.audience,
    confirmation_jkt: token.confirmationJkt,
    rule_id: token.ruleId,
    created_at: createdAt,
    expires_at: token.expiresAt,
  };
}
