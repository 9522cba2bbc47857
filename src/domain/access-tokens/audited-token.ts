import type { Audited } from "../audit/changes.ts";
import type { NewAccessToken } from "../credentials/access-token.ts";

/** A token as the audit trail records it. */
export function auditedToken(token: NewAccessToken & { readonly revokedAt?: Date | null }): Audited {
  const { keyId, scopes, userId, audience, confirmationJkt, ruleId, expiresAt, revokedAt = null } = token;
  return {
    key_id: keyId,
    scopes: [...scopes],
    user_id: userId,
    audience,
    confirmation_jkt: confirmationJkt,
    rule_id: ruleId,
    expires_at: expiresAt.toISOString(),
    revoked_at: revokedAt?.toISOString() ?? null,
  };
}
