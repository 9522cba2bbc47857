import type { ErrorReason } from "./error-reason.ts";

/** Why a caller was denied: the lower-case names of `DenialReason` in `proto/latchkey/v1/denial.proto`. */
export type DenialReason = keyof typeof DENIALS;

/** The Connect codes a denial can carry, and the HTTP status of each. */
const STATUSES = { unauthenticated: 401, permission_denied: 403, resource_exhausted: 429, internal: 500 } as const;

/** The one table from a reason to its code, its HTTP status and the sentence that says why and what to do. */
export const DENIALS = {
  missing_credentials: unauthenticated(
    "No credentials were sent",
    "send an API key in X-API-Key or a user token in Authorization: Bearer <token>",
  ),
  api_key_not_found: unauthenticated("No such API key exists", "check that it belongs to this environment"),
  api_key_expired: unauthenticated("This API key has expired", "create a new key or use the one it was rotated to"),
  api_key_disabled: unauthenticated("This API key is disabled", "have an administrator enable it again"),
  api_key_revoked: unauthenticated("This API key was revoked, which is permanent", "create a new key"),
  api_key_invalid: unauthenticated("X-API-Key holds no API key", "send exactly one key, beginning with sk_ or pk_"),
  insufficient_scope: denial(
    "permission_denied",
    "The credentials do not allow this operation",
    "use a key or a user with the scope it needs",
  ),
  rate_limited: denial(
    "resource_exhausted",
    "This API key exceeded its rate limit",
    "wait for the seconds in Retry-After",
  ),
  publishable_key_requires_jwt: unauthenticated(
    "A publishable key needs its user's token",
    "add Authorization: Bearer <USER_JWT>",
  ),
  jwt_expired: unauthenticated("The user token has expired", "have the user sign in again, or refresh the token"),
  jwt_malformed: unauthenticated(
    "The user token is not a well-formed JWT",
    "send the token whole, as its issuer signed it",
  ),
  jwt_invalid_signature: unauthenticated(
    "The user token's signature could not be verified with its issuer's keys",
    "check the signing key, its kid and the algorithm",
  ),
  jwt_invalid_issuer: unauthenticated(
    "The user token's iss claim differs from the configured issuer",
    "send a token of that issuer",
  ),
  jwt_invalid_audience: unauthenticated(
    "The user token's aud claim differs from the configured audience",
    "send a token issued for that audience",
  ),
  user_id_claim_not_found: unauthenticated(
    "The user token lacks the claim that holds the user id, as a string of 1 to 256 characters, containing a visible character and no control characters",
    "issue the token with that claim, or configure another userIdClaim",
  ),
  token_revoked: unauthenticated("This token was revoked, which is permanent", "get a new one"),
  tenant_required: denial(
    "permission_denied",
    "The user token names no tenant: its claim tenant_id, or the one that the operator named, must be a string of 1 to 256 characters, containing a visible character and no control characters",
    "create an organization or accept an invitation and refresh the token, or have the identity provider issue such a claim",
  ),
  tenant_suspended: denial(
    "permission_denied",
    "The tenant of this user is suspended",
    "have the operator of this service resume it",
  ),
  origin_not_allowed: denial(
    "permission_denied",
    "This API key may not be used from where this request comes from",
    "call from an address or a web page that the key allows",
  ),
  // The same text for every cause: a tenant could otherwise explore our network.
  verifier_error: serverFault(
    "The credentials could not be checked just now",
    "retry, and if it persists for a publishable key, check that its jwksUrl answers 200 with a JWK set, without redirects",
  ),
  misconfigured_publishable_key: serverFault(
    "This publishable key has no OIDC configuration that can be used",
    "recreate it with publishableConfig.oidc",
  ),
  oidc_not_configured: serverFault(
    "This service has no identity provider for dashboard users",
    "have its operator set OIDC_ISSUER, OIDC_JWKS_URL and OIDC_AUDIENCE",
  ),
} as const;

export function isDenialReason(text: string): text is DenialReason {
  return Object.hasOwn(DENIALS, text);
}

export interface DenialOptions {
  readonly message?: string;
  readonly cause?: unknown;
  readonly retryAfterMs?: number;
  readonly field?: string;
  readonly scope?: string;
  readonly dpopError?: DpopError | undefined;
  readonly specific?: SpecificReason;
}

/** Reasons that say more about a denial than its own reason does. */
export type SpecificReason = Extract<ErrorReason, "token_not_allowed" | "key_not_allowed">;

/** What a challenge of DPoP says (RFC 9449, 7.1): the token may not be used by its sender, or the proof is wrong. */
export type DpopError = "invalid_token" | "invalid_dpop_proof";

/** A denied caller. `message` is public; `cause` is for our log only. */
export class Denial extends Error {
  override readonly name = "Denial";
  readonly reason: DenialReason;
  /** For `verifier_error`: ms until the credentials can be checked again. 0: unknown. */
  readonly retryAfterMs: number;
  /** The JSON path of the member that asks for what the caller may not. Undefined: not a single member. */
  readonly field: string | undefined;
  /** For `insufficient_scope`: the scope that the caller lacks, for the log. Undefined: it is not one scope. */
  readonly scope: string | undefined;
  /** Set for a proof of possession, which clients of DPoP find in the challenge. */
  readonly dpopError: DpopError | undefined;
  /** What `reason` says in the answer's body. Undefined: the reason of the denial. */
  readonly specific: SpecificReason | undefined;

  constructor(reason: DenialReason, options: DenialOptions = {}) {
    super(options.message ?? DENIALS[reason].sentence, { cause: options.cause });
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs ?? 0;
    this.field = options.field;
    this.scope = options.scope;
    this.dpopError = options.dpopError;
    this.specific = options.specific;
  }
}

/**
 * The section about a reason, on a page that the service serves on each port. It never changes: people have the address in their
 * notes. `docsUrl` is the address of the service for its callers. Empty: the link is relative.
 */
export function errorPageOf(reason: string, docsUrl = ""): string {
  return `${docsUrl}/docs/errors#${reason}`;
}

/** A message that another host passes on. A relative link would lead to a page that this host does not have. */
export function withoutRelativePage(message: string): string {
  return message.replace(/ See \/docs\/errors#\w+$/, "");
}

function unauthenticated(cause: string, remedy: string) {
  return denial("unauthenticated", cause, remedy);
}

function serverFault(cause: string, remedy: string) {
  return denial("internal", cause, remedy);
}

/** Every sentence names a remedy. The proto's comments explain the reasons at more length. */
function denial(code: keyof typeof STATUSES, cause: string, remedy: string) {
  return { code, status: STATUSES[code], remedy, sentence: `${cause}; ${remedy}.` };
}
