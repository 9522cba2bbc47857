import type { Audited } from "../audit/changes.ts";
import { claimRuleText } from "../tokens/claim-rules.ts";
import type { FederationRule } from "./rule.ts";

/** A rule as the audit trail compares it. Of a key set it has the ids of the keys. */
export function auditedRule(rule: FederationRule): Audited {
  const { name, issuer, jwksUrl, jwks, audience, claimRules, keyId, scopes, ttlSeconds, status } = rule;
  return {
    ...{ name, issuer, jwksUrl, audience, status },
    jwks: jwks === null ? null : kidsOf(jwks),
    claimRules: claimRules.map(claimRuleText),
    key_id: keyId,
    scopes: [...scopes],
    ttl_seconds: ttlSeconds,
  };
}

function kidsOf({ keys }: Readonly<Record<string, unknown>>): string[] {
  if (!Array.isArray(keys)) return [];
  return keys.map((key: { readonly kid?: unknown }) => (typeof key.kid === "string" ? key.kid : ""));
}
