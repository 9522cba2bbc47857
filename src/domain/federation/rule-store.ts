import type { Act } from "../audit/event.ts";
import type { FederationRule } from "./rule.ts";

/** Rules of a tenant, at most. */
export const RULES_MAX = 100;

export type NewRule = Omit<FederationRule, "status" | "createdAt" | "updatedAt">;

/** The members that a change sets. */
export type RulePatch = Partial<Omit<FederationRule, "ruleId" | "tenantId" | "createdAt" | "updatedAt">>;

/** Tenants' rules for workloads. Every method may throw `StoreUnavailable`. */
export interface RuleStore {
  /** Throws if the tenant has `RULES_MAX`, or was erased. */
  insertRule(rule: NewRule, act: Act): Promise<FederationRule>;
  /** The oldest first. */
  listRules(tenantId: string): Promise<readonly FederationRule[]>;
  findRule(tenantId: string, ruleId: string): Promise<FederationRule | undefined>;
  /** For a workload, which does not say whose rule it is. */
  findRuleOfAny(ruleId: string): Promise<FederationRule | undefined>;
  /** Resolves once no replica uses the rule as it was, nor accepts a token of one that is disabled. Undefined: no such rule. */
  updateRule(tenantId: string, ruleId: string, patch: RulePatch, act: Act): Promise<FederationRule | undefined>;
  /** Resolves once no replica accepts a token of the rule. Returns whether there was one. */
  deleteRule(tenantId: string, ruleId: string, act: Act): Promise<boolean>;
}
