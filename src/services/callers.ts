import type { DashboardUser } from "../domain/identity/principal.ts";
import { requireTenant } from "../domain/policy/authorize.ts";
import { type CallContext, principalOf } from "../interceptors/call.ts";

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
