import type { FederationService } from "../../gen/latchkey/v1/federation_service_pb.ts";
import type { Authority } from "../domain/access/authority.ts";
import { createGrant, type Grant } from "../domain/access/grant.ts";
import { type AssertionContext, checkAssertion } from "../domain/federation/assertion.ts";
import { createRule, deleteRule, getRule, type RulesContext, updateRule } from "../domain/federation/rules.ts";
import { refusePageToken } from "../domain/vocabulary/page.ts";
import { type CallContext, principalOf, type UnaryImpl } from "../interceptors/call.ts";
import { actOf, setLogTarget, tenantOf } from "./callers.ts";
import { fromRule, fromRuleStatus, toRule } from "./federation-converter.ts";

type FederationContext = RulesContext & AssertionContext & { readonly authority: Authority };

export function createFederationService(ctx: FederationContext): UnaryImpl<typeof FederationService> {
  const grantOf = (context: CallContext): Grant => createGrant(ctx.authority, principalOf(context.values));
  return {
    async createFederationRule(req, context) {
      const rule = await createRule(ctx, tenantOf(context), fromRule(req), grantOf(context), actOf(context));
      setLogTarget(context, rule.ruleId);
      return { result: toRule(rule) };
    },
    async listFederationRules(req, context) {
      refusePageToken(req);
      const rules = await ctx.rules.listRules(tenantOf(context));
      return { rules: rules.map(toRule) };
    },
    async getFederationRule({ ruleId }, context) {
      return { result: toRule(await getRule(ctx, tenantOf(context), ruleId)) };
    },
    async updateFederationRule(req, context) {
      const { ruleId, updateMask, status } = req;
      const values = { ...fromRule(req), status: fromRuleStatus(status) };
      const tenantId = tenantOf(context);
      const rule = await updateRule(ctx, tenantId, ruleId, updateMask, values, grantOf(context), actOf(context));
      setLogTarget(context, ruleId);
      return { result: toRule(rule) };
    },
    async deleteFederationRule({ ruleId }, context) {
      await deleteRule(ctx, tenantOf(context), ruleId, actOf(context));
      setLogTarget(context, ruleId);
      return {};
    },
    async checkFederationAssertion({ ruleId, assertion }, context) {
      const rule = await getRule(ctx, tenantOf(context), ruleId);
      const steps = await checkAssertion(ctx, rule, assertion);
      return { steps: steps.map((each) => ({ ...each })), passed: steps.every(({ passed }) => passed) };
    },
  };
}
