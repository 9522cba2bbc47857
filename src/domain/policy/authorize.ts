import { Denial } from "../denial.ts";
import type { Principal } from "../identity/principal.ts";
import { impersonate } from "./impersonation.ts";
import type { Policy } from "./policy.ts";
import { keyMay } from "./scopes.ts";

/**
 * Authorizes an authenticated caller: kind, scope, impersonation, tenant, in this order. Returns the principal of the
 * call. Throws `Denial`, or `RequestFault` for a malformed `X-On-Behalf-Of`.
 */
export function authorize(principal: Principal, policy: Policy, onBehalfOf: readonly string[]): Principal {
  requireKind(principal, policy);
  if (policy.scope !== null) requireScope(principal, policy.scope);
  const acting = impersonate(principal, onBehalfOf);
  if (!policy.tenantOptional) requireTenant(acting);
  return acting;
}

/** The tenant a call is made for. A dashboard user may have none. */
export function requireTenant({ tenantId }: Principal): string {
  if (tenantId === null) throw new Denial("tenant_required");
  return tenantId;
}

/** A key must hold the scope; a dashboard user needs none. */
export function requireScope(principal: Principal, scope: string): void {
  if (principal.kind !== "dashboard_user" && !keyMay(principal.key, scope)) {
    throw new Denial("insufficient_scope", {
      message: `This API key lacks the scope ${scope}; use a key that has it, or add it to this key's permissions.`,
    });
  }
}

function requireKind(principal: Principal, policy: Policy): void {
  if (policy.callers.has(principal.kind)) return;
  throw new Denial("insufficient_scope", {
    message:
      "An API key cannot do this, whatever its scopes; call with a dashboard user's token and without X-API-Key.",
  });
}
