import { requireTenant } from "../domain/access/authorize.ts";
import type { DashboardUser } from "../domain/access/principal.ts";
import type { Act } from "../domain/audit/event.ts";
import { originOf } from "../domain/audit/origin.ts";
import { type CallContext, callOf, principalOf } from "../interceptors/call.ts";

/** The dashboard user of a call whose policy admits only dashboard users. */
export function dashboardUser(context: CallContext): DashboardUser {
  const principal = principalOf(context.values);
  if (principal.kind !== "dashboard_user") throw new Error(`the policy of ${context.method.name} admits API keys`);
  return principal;
}

/** The tenant of a call whose policy requires one. */
export function tenantOf(context: CallContext): string {
  return requireTenant(principalOf(context.values));
}

/** The call as the audit trail records it. */
export function actOf(context: CallContext): Act {
  const call = callOf(context.values);
  const action = call.policy?.auditAction ?? null;
  if (action === null) throw new Error(`the policy of ${context.method.name} names no audit_action`);
  return { ...originOf(call, principalOf(context.values)), action };
}

/** Names in the access log what a call has created or changed. */
export function setLogTarget(context: CallContext, targetId: string): void {
  callOf(context.values).targetId = targetId;
}
