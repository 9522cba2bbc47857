import type { Insertable, Selectable, Updateable } from "kysely";
import type { FederationRule } from "../../../domain/federation/rule.ts";
import type { NewRule, RulePatch } from "../../../domain/federation/rule-store.ts";
import type { Schema } from "../schema.ts";

export const RULE_COLUMNS = [
  "rule_id",
  "tenant_id",
  "name",
  "issuer",
  "jwks_url",
  "jwks",
  "audience",
  "claim_rules",
  "key_id",
  "scopes",
  "ttl_seconds",
  "status",
  "created_at",
  "updated_at",
] as const;

type RuleRow = Pick<Selectable<Schema["federation_rules"]>, (typeof RULE_COLUMNS)[number]>;

export function ruleOf(row: RuleRow): FederationRule {
  return {
    ruleId: row.rule_id,
    tenantId: row.tenant_id,
    name: row.name,
    issuer: row.issuer,
    jwksUrl: row.jwks_url,
    jwks: row.jwks as FederationRule["jwks"],
    audience: row.audience,
    claimRules: row.claim_rules,
    keyId: row.key_id,
    scopes: row.scopes,
    ttlSeconds: row.ttl_seconds,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function ruleRow(rule: NewRule): Omit<Insertable<Schema["federation_rules"]>, "created_at"> {
  return {
    ...{ rule_id: rule.ruleId, tenant_id: rule.tenantId, name: rule.name, issuer: rule.issuer, jwks_url: rule.jwksUrl },
    jwks: rule.jwks === null ? null : JSON.stringify(rule.jwks),
    audience: rule.audience,
    claim_rules: JSON.stringify(rule.claimRules),
    key_id: rule.keyId,
    scopes: JSON.stringify(rule.scopes),
    ttl_seconds: rule.ttlSeconds,
    status: "enabled",
  };
}

export function changedColumns(patch: RulePatch): Updateable<Schema["federation_rules"]> {
  const { name, issuer, jwksUrl, jwks, audience, claimRules, keyId, scopes, ttlSeconds, status } = patch;
  return {
    ...(name !== undefined && { name }),
    ...(issuer !== undefined && { issuer }),
    ...(jwksUrl !== undefined && { jwks_url: jwksUrl }),
    ...(jwks !== undefined && { jwks: jwks === null ? null : JSON.stringify(jwks) }),
    ...(audience !== undefined && { audience }),
    ...(claimRules !== undefined && { claim_rules: JSON.stringify(claimRules) }),
    ...(keyId !== undefined && { key_id: keyId }),
    ...(scopes !== undefined && { scopes: JSON.stringify(scopes) }),
    ...(ttlSeconds !== undefined && { ttl_seconds: ttlSeconds }),
    ...(status !== undefined && { status }),
  };
}
