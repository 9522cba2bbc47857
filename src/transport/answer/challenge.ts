import { PROOF_ALGORITHMS } from "../../domain/access-tokens/proof.ts";
import { DENIALS, type Denial, type DenialReason, type DpopError } from "../../domain/vocabulary/denial.ts";
import type { Challenge } from "../../interceptors/call.ts";

/** RFC 6750, 3. A parameter is required: some clients end on a bare `Bearer`. The realm says nothing more. */
const REALM = 'Bearer realm="latchkey"';

/** The reasons about a token that was sent. Of a key, and of credentials that are absent, RFC 6750 has no error. */
const TOKEN_REASONS = [
  "jwt_expired",
  "jwt_malformed",
  "jwt_invalid_signature",
  "jwt_invalid_issuer",
  "jwt_invalid_audience",
  "user_id_claim_not_found",
  "token_revoked",
] as const satisfies readonly DenialReason[];

const REFUSED_TOKENS: ReadonlyMap<DenialReason, string> = new Map(
  TOKEN_REASONS.map((reason) => [
    reason,
    `${REALM}, error="invalid_token", error_description="${DENIALS[reason].sentence}"`,
  ]),
);

/**
 * `WWW-Authenticate` of an answer. Undefined: it has none. Over gRPC, whose status is 200, the denial alone decides. For an
 * OAuth resource it names the metadata (RFC 9728, 5.1), and all scopes of the operation, so that one more authorization is enough.
 */
export function challengeOf(status: number, denial: Denial | undefined, more?: Challenge): string | undefined {
  const lacked = more === undefined || more.scopes.length === 0 ? denial?.scope : more.scopes.join(" ");
  const challenge = ofDenial(status, denial, lacked);
  if (challenge === undefined || more === undefined) return challenge;
  const scope = more.scopes.length > 0 && denial?.reason !== "insufficient_scope" ? `, scope="${lacked}"` : "";
  return `${challenge}${scope}, resource_metadata="${more.metadataUrl}"`;
}

function ofDenial(status: number, denial: Denial | undefined, lacked: string | undefined): string | undefined {
  if (denial === undefined) return status === 401 ? REALM : undefined;
  const { reason, dpopError } = denial;
  if (dpopError !== undefined) return dpopChallenge(dpopError);
  if (reason === "insufficient_scope") {
    const lacking = lacked === undefined ? "" : `, scope="${lacked}"`;
    return `Bearer error="insufficient_scope"${lacking}`;
  }
  return DENIALS[reason].status === 401 ? (REFUSED_TOKENS.get(reason) ?? REALM) : undefined;
}

/** RFC 9449, 7.1. */
function dpopChallenge(error: DpopError): string {
  return `DPoP realm="latchkey", error="${error}", error_description="${DPOP_ERRORS[error]}", algs="${PROOF_ALGORITHMS.join(" ")}"`;
}

const DPOP_ERRORS: Readonly<Record<DpopError, string>> = {
  invalid_token: "The token and the key of its sender do not belong together",
  invalid_dpop_proof: "The proof in the header DPoP is missing or refused",
};
