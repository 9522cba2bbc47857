import type { ServiceImpl } from "@connectrpc/connect";
import type { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { Caller } from "../../gen/latchkey/v1/policy_pb.ts";
import type { CallerKind, Principal } from "../domain/identity/principal.ts";
import { requireScope } from "../domain/policy/authorize.ts";
import { isAction, nearestScope } from "../domain/policy/scopes.ts";
import { invalid } from "../domain/request-fault.ts";
import { principalOf } from "../interceptors/call.ts";
import { actingUser, requireTenant } from "./callers.ts";

const CALLERS: Record<CallerKind, Caller> = {
  dashboard_user: Caller.DASHBOARD_USER,
  secret_key: Caller.SECRET_KEY,
  publishable_key: Caller.PUBLISHABLE_KEY,
};

export function createAuthService(): ServiceImpl<typeof AuthService> {
  return {
    verify(req, context) {
      const principal = principalOf(context.values);
      if (req.scope !== "") check(principal, req.scope, "scope");
      for (const [index, scope] of req.scopes.entries()) check(principal, scope, `scopes[${index}]`);
      return {
        caller: CALLERS[principal.kind],
        tenantId: requireTenant(principal, context),
        keyId: principal.kind === "dashboard_user" ? "" : principal.key.keyId,
        userId: (principal.kind === "dashboard_user" ? principal.userId : actingUser(principal)) ?? "",
        permissions: principal.kind === "dashboard_user" ? [] : [...principal.key.permissions],
      };
    },
  };
}

/** An unknown scope is the asking service's mistake, not a denial of its caller. */
function check(principal: Principal, scope: string, field: string): void {
  if (!isAction(scope)) {
    throw invalid(field, `is no known scope; did you mean "${nearestScope(scope)}"? Ask for one "domain:action"`);
  }
  requireScope(principal, scope);
}
