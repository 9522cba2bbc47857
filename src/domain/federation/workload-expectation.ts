import type { KeySource, TokenExpectation } from "../tokens/claims.ts";
import type { FederationRule } from "./rule.ts";

/** What a rule requires of workloads' tokens, beside their claims. */
export function workloadExpectation(rule: FederationRule): TokenExpectation {
  const { issuer, audience } = rule;
  return { issuer, audience, ...keySourceOf(rule) };
}

/** Where the keys of a rule's issuer are. */
export function keySourceOf({
  tenantId,
  jwksUrl,
  jwks,
}: Pick<FederationRule, "tenantId" | "jwksUrl" | "jwks">): KeySource {
  const jwksOwner = { kind: "tenant", tenantId } as const;
  return jwks === null ? { jwksUrl: jwksUrl ?? "", jwksOwner } : { jwksUrl: "", jwks: JSON.stringify(jwks), jwksOwner };
}
