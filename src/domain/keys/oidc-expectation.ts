import type { OidcConfig } from "../credentials/key.ts";
import type { KeySource, TokenExpectation } from "../tokens/claims.ts";
import type { UserExpectation } from "../tokens/user-checks.ts";

/** What a tenant's configuration requires of users' tokens. */
export function tokenExpectation(tenantId: string, oidc: OidcConfig): TokenExpectation {
  const { issuer, audience, audienceClaim, authorizedParties, tokenType } = oidc;
  return { issuer, audience, audienceClaim, authorizedParties, tokenType, ...keySourceOf(tenantId, oidc) };
}

/** The same as text, to compare the edge's record of a key with the service's. */
export function expectationText(expected: TokenExpectation): string {
  return JSON.stringify(expected);
}

/** What a tenant's configuration requires of the claims of a valid token. */
export function userExpectation({
  userIdClaim,
  userIdPrefix,
  requiredClaims,
  claimRules,
}: OidcConfig): UserExpectation {
  return { userIdClaim, userIdPrefix, requiredClaims, claimRules, requiredBy: "key" };
}

/** Where the keys of a tenant's configuration are. */
export function keySourceOf(tenantId: string, { jwksUrl }: Pick<OidcConfig, "jwksUrl">): KeySource {
  return { jwksUrl, jwksOwner: { kind: "tenant", tenantId } };
}
