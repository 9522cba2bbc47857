/** Why a caller was turned away: the lower-case names of `DenialReason` in `proto/latchkey/v1/denial.proto`. */
export type DenialReason = keyof typeof DENIALS;

/** The Connect codes a denial can carry. */
type DenialCode = "unauthenticated" | "permission_denied" | "resource_exhausted" | "internal";

/** The one table from a reason to its code, its HTTP status and the sentence that tells the caller what to do. */
export const DENIALS = {
  missing_credentials: denial(
    "unauthenticated",
    401,
    "Send an API key in X-API-Key or a user token in Authorization: Bearer <token>.",
  ),
  api_key_not_found: denial("unauthenticated", 401, "No such API key exists; check that the whole key was copied."),
  api_key_expired: denial(
    "unauthenticated",
    401,
    "This API key has expired; create a new key or use the one it was rotated to.",
  ),
  api_key_disabled: denial("unauthenticated", 401, "This API key is disabled; an administrator can enable it again."),
  api_key_revoked: denial("unauthenticated", 401, "This API key was revoked, which is permanent; create a new key."),
  api_key_invalid: denial("unauthenticated", 401, "X-API-Key must hold exactly one key, beginning with sk_ or pk_."),
  insufficient_scope: denial("permission_denied", 403, "The credentials do not allow this operation."),
  rate_limited: denial(
    "resource_exhausted",
    429,
    "This API key exceeded its rate limit; retry after the seconds in Retry-After.",
  ),
  publishable_key_requires_jwt: denial(
    "unauthenticated",
    401,
    "A publishable key needs its user's token: add Authorization: Bearer <USER_JWT>.",
  ),
  jwt_expired: denial("unauthenticated", 401, "The user token has expired; refresh it or sign in again."),
  jwt_malformed: denial("unauthenticated", 401, "The user token is not a well-formed JWT."),
  jwt_invalid_signature: denial(
    "unauthenticated",
    401,
    "The user token's signature could not be verified with its issuer's keys.",
  ),
  jwt_invalid_issuer: denial("unauthenticated", 401, "The user token's iss claim differs from the configured issuer."),
  jwt_invalid_audience: denial(
    "unauthenticated",
    401,
    "The user token's aud claim differs from the configured audience.",
  ),
  user_id_claim_not_found: denial(
    "unauthenticated",
    401,
    "The user token lacks the claim that holds the user id, as a non-empty string.",
  ),
  tenant_required: denial(
    "permission_denied",
    403,
    "The user token names no tenant; create an organization and sign in again.",
  ),
  verifier_error: denial("internal", 500, "The credentials could not be checked just now; retry."),
  misconfigured_publishable_key: denial(
    "internal",
    500,
    "This publishable key has no OIDC configuration; recreate it with publishableConfig.oidc.",
  ),
  oidc_not_configured: denial(
    "internal",
    500,
    "This service has no identity provider for dashboard users; the operator sets OIDC_ISSUER, OIDC_JWKS_URL and OIDC_AUDIENCE.",
  ),
} as const;

/** A caller turned away. `message` is public; `cause` is for our log only. */
export class Denial extends Error {
  override readonly name = "Denial";
  readonly reason: DenialReason;

  constructor(reason: DenialReason, options: { message?: string; cause?: unknown } = {}) {
    super(options.message ?? DENIALS[reason].sentence, { cause: options.cause });
    this.reason = reason;
  }
}

function denial(code: DenialCode, status: 401 | 403 | 429 | 500, sentence: string) {
  return { code, status, sentence };
}
