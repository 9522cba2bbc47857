import { Denial } from "../denial.ts";
import type { Principal } from "../identity/principal.ts";
import { impersonate } from "./impersonation.ts";
import type { Policy } from "./policy.ts";
import { anyGrants, publishableMay } from "./scopes.ts";

/**
 * Judges an authenticated caller: kind, scope, impersonation, tenant, in this order. Answers the principal the call is
 * made as.
 */
export function authorize(principal: Principal, policy: Policy, onBehalfOf: readonly string[]): Principal {
  requireKind(principal, policy);
  if (policy.scope !== null) requireScope(principal, policy.scope);
  const acting = impersonate(principal, onBehalfOf);
  if (acting.tenantId === null && !policy.tenantOptional) throw new Denial("tenant_required");
  return acting;
}

/** A key must hold the scope; a dashboard user needs none. */
export function requireScope(principal: Principal, scope: string): void {
  if (!mayUse(principal, scope)) {
    throw new Denial("insufficient_scope", {
      message: `This API key lacks the scope ${scope}; use a key that has it, or add it to this key's permissions.`,
    });
  }
}

function mayUse(principal: Principal, scope: string): boolean {
  switch (principal.kind) {
    case "dashboard_user":
      return true;
    case "secret_key":
      return anyGrants(principal.key.permissions, scope);
    case "publishable_key":
      return publishableMay(principal.key.permissions, scope);
    default:
      return principal satisfies never;
  }
}

function requireKind(principal: Principal, policy: Policy): void {
  if (policy.callers.has(principal.kind)) return;
  throw new Denial("insufficient_scope", {
    message:
      "An API key cannot do this, whatever its scopes; call with a dashboard user's token and without X-API-Key.",
  });
}
