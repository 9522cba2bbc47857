import { pinSubject } from "../tokens/claim-rules.ts";
import { type IsOwnIssuer, OWN_ISSUER } from "../tokens/own-issuer.ts";
import type { FederationRule } from "./rule.ts";

/**
 * Why a stored rule gives no tokens, as a sentence. Undefined: it may. An earlier version may have stored what is refused now, or
 * the service may have got its `TOKEN_ISSUER` later.
 */
export function ruleProblem(
  isOwnIssuer: IsOwnIssuer,
  { status, issuer, jwksUrl, claimRules }: FederationRule,
): string | undefined {
  if (status === "disabled") return "The rule is disabled.";
  if (isOwnIssuer(issuer)) return `The rule's issuer ${OWN_ISSUER}.`;
  if (jwksUrl !== null && isOwnIssuer(jwksUrl)) return `The rule's jwksUrl ${OWN_ISSUER}.`;
  if (!pinSubject(claimRules)) return "The rule's claimRules pin no workload.";
  return undefined;
}
