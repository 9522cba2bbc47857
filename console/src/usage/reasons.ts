/** Reasons of denials in words. Those of later versions are shown by their name. */
export const REASONS_IN_WORDS: Readonly<Record<string, string>> = {
  missing_credentials: "No credentials",
  api_key_not_found: "Unknown key",
  api_key_expired: "Key expired",
  api_key_disabled: "Key disabled",
  api_key_revoked: "Key revoked",
  api_key_invalid: "Not a key",
  insufficient_scope: "Scope missing",
  rate_limited: "Rate limit reached",
  token_revoked: "Token revoked",
  publishable_key_requires_jwt: "User token missing",
  jwt_expired: "Token expired",
  jwt_malformed: "User token malformed",
  jwt_invalid_signature: "User token's signature",
  jwt_invalid_issuer: "User token's issuer",
  jwt_invalid_audience: "User token's audience",
  user_id_claim_not_found: "User token without user id",
  tenant_required: "No organization",
  verifier_error: "Key set unavailable",
  misconfigured_publishable_key: "Key misconfigured",
  oidc_not_configured: "No identity provider configured",
  origin_not_allowed: "Address or origin not allowed",
  tenant_suspended: "Organization suspended",
  not_found: "Wrong path or method",
  internal: "Check failed in the service",
};

export function reasonInWords(reason: string): string {
  const words = reason.replaceAll("_", " ");
  return REASONS_IN_WORDS[reason] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
