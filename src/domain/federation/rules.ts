import { isDeepStrictEqual } from "node:util";
import type { Grant } from "../access/grant.ts";
import type { Act } from "../audit/event.ts";
import { newId } from "../vocabulary/ids.ts";
import { faultOf, invalid, RequestFault } from "../vocabulary/request-fault.ts";
import { fieldsOfMask } from "../vocabulary/update-mask.ts";
import { type CheckedRule, type CheckRuleContext, checkedRule, type RuleInput } from "./checked-rule.ts";
import type { FederationRule } from "./rule.ts";
import { RULES_MAX, type RulePatch, type RuleStore } from "./rule-store.ts";

export interface RulesContext extends CheckRuleContext {
  readonly rules: RuleStore;
}

/** New values, of which a mask names those to take. */
export interface RuleValues extends RuleInput {
  /** Null: not given. */
  readonly status: FederationRule["status"] | null;
}

/** Adds a rule whose scopes `grant` allows. */
export async function createRule(
  ctx: RulesContext,
  tenantId: string,
  input: RuleInput,
  grant: Grant,
  act: Act,
): Promise<FederationRule> {
  const checked = await checkedRule(ctx, tenantId, input, grant);
  return ctx.rules.insertRule({ ...checked, ruleId: newId("fed") }, act);
}

/** Throws if the tenant has no such rule. */
export async function getRule(
  { rules }: { readonly rules: Pick<RuleStore, "findRule"> },
  tenantId: string,
  ruleId: string,
): Promise<FederationRule> {
  const rule = await rules.findRule(tenantId, ruleId);
  if (rule === undefined) throw ruleNotFound();
  return rule;
}

/** What an update can change. */
export const MASKABLE = [
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
] as const;
type Maskable = (typeof MASKABLE)[number];

/**
 * Changes the members that the mask names. The rule as a whole is checked as a new one is, so that an update gives no caller more
 * than they could create; but a rule can always be disabled.
 */
export async function updateRule(
  ctx: RulesContext,
  tenantId: string,
  ruleId: string,
  mask: string,
  values: RuleValues,
  grant: Grant,
  act: Act,
): Promise<FederationRule> {
  const fields = fieldsOfMask(mask, MASKABLE);
  const { status } = values;
  if (fields.has("status") && status === null) {
    throw invalid("status", "must be FEDERATION_RULE_STATUS_ENABLED or FEDERATION_RULE_STATUS_DISABLED");
  }
  const current = await getRule(ctx, tenantId, ruleId);
  const disables = fields.size === 1 && status === "disabled" && fields.has("status");
  const checked = disables ? {} : await checkedRule(ctx, tenantId, merged(current, values, fields), grant);
  const patch: RulePatch = { ...changed(checked, fields), ...(fields.has("status") && status !== null && { status }) };
  const updated = await ctx.rules.updateRule(tenantId, ruleId, patch, act);
  if (updated === undefined) throw ruleNotFound();
  return updated;
}

/** Removes a rule. Throws if the tenant has no such rule. */
export async function deleteRule(
  { rules }: { readonly rules: Pick<RuleStore, "deleteRule"> },
  tenantId: string,
  ruleId: string,
  act: Act,
): Promise<void> {
  if (!(await rules.deleteRule(tenantId, ruleId, act))) throw ruleNotFound();
}

/** The same for a malformed identifier, one of another tenant and one that never was. */
function ruleNotFound(): RequestFault {
  return faultOf("rule_not_found", "rule_id", "no such rule; federation/rules/list has them");
}

export function tooManyRules(): RequestFault {
  return new RequestFault(
    "too_many_rules",
    `The tenant has ${RULES_MAX} rules for workloads, the most it may have; delete one.`,
  );
}

/** The rule that an update is to result in. Keys of one issuer are not those of another: they are looked up again. */
function merged(current: FederationRule, values: RuleValues, fields: ReadonlySet<Maskable>): RuleInput {
  const has = (field: Maskable): boolean => fields.has(field);
  const jwks = has("jwks") ? values.jwks : has("jwks_url") && values.jwksUrl !== "" ? null : current.jwks;
  const keepsUrl = !has("issuer") && !has("jwks");
  return {
    name: has("name") ? values.name : current.name,
    issuer: has("issuer") ? values.issuer : current.issuer,
    jwksUrl: has("jwks_url") ? values.jwksUrl : keepsUrl ? (current.jwksUrl ?? "") : "",
    jwks,
    audience: has("audience") ? values.audience : current.audience,
    claimRules: has("claim_rules") ? values.claimRules : current.claimRules,
    keyId: has("key_id") ? values.keyId : current.keyId,
    scopes: has("scopes") ? values.scopes : current.scopes,
    ttlSeconds: has("ttl_seconds") ? values.ttlSeconds : current.ttlSeconds,
  };
}

/** Whether the rule has these values already: an update that changes nothing is not dated. */
export function hasAll(rule: FederationRule, patch: RulePatch): boolean {
  const current: Readonly<Record<string, unknown>> = { ...rule };
  return Object.entries(patch).every(([member, value]) => isDeepStrictEqual(value, current[member]));
}

/** What the mask names of a checked rule, so that two updates of other members do not undo each other. */
function changed(checked: Partial<CheckedRule>, fields: ReadonlySet<Maskable>): RulePatch {
  const { name, issuer, jwksUrl, jwks, audience, claimRules, keyId, scopes, ttlSeconds } = checked;
  const hasKeys = fields.has("issuer") || fields.has("jwks_url") || fields.has("jwks");
  return {
    ...(fields.has("name") && { name }),
    ...(fields.has("issuer") && { issuer }),
    ...(hasKeys && { jwksUrl, jwks }),
    ...(fields.has("audience") && { audience }),
    ...(fields.has("claim_rules") && { claimRules }),
    ...((fields.has("key_id") || fields.has("scopes")) && { keyId, scopes }),
    ...(fields.has("ttl_seconds") && { ttlSeconds }),
  };
}
