import { Denial } from "../vocabulary/denial.ts";
import { faultOf, quotable } from "../vocabulary/request-fault.ts";
import type { Authority } from "./authority.ts";
import type { Principal } from "./principal.ts";
import { isReserved, mayUse, type Rights } from "./scopes.ts";

/** Throws `Denial` for permissions that the caller may not give to a key of the tenant. `list` names them; default `permissions`. */
export type Grant = (tenantId: string, permissions: readonly string[], list?: string) => void;

/** Callers grant only what they may do: a key could otherwise do more than its creator. */
export function createGrant(authority: Authority, { rights, kind }: Principal): Grant {
  return (tenantId, permissions, list = "permissions") => {
    const index = permissions.findIndex((scope) => !authority.mayGrant(rights, tenantId, scope));
    const scope = permissions[index];
    if (scope === undefined) return;
    const field = `${list}[${index}]`;
    throw new Denial("insufficient_scope", { message: `${field}: ${problemOf(authority, scope, kind)}`, field, scope });
  };
}

/** Throws for a role that does not exist, or that has scopes which the caller may not grant. */
export function requireRole(authority: Authority, { rights }: Principal, tenantId: string, role: string): void {
  if (!authority.roles.has(role)) {
    const known = [...authority.roles.keys()].join(", ");
    throw faultOf("unknown_role", "role", `"${quotable(role)}" is not a role; it must be one of ${known}`);
  }
  const scope = lackingScope(authority, rights, tenantId, role);
  if (scope === undefined) return;
  throw new Denial("insufficient_scope", {
    message: `role: you cannot give the role ${quotable(role)}, because you do not have its scope ${scope}; have a member with that scope do it.`,
    field: "role",
    scope,
  });
}

/** Whether members with a role may give another one to others. */
export function roleGrants(authority: Authority, tenantId: string, role: string, given: string): boolean {
  return lackingScope(authority, authority.rightsOfRole(role, tenantId), tenantId, given) === undefined;
}

/** A scope of a role that these rights do not include. */
function lackingScope(authority: Authority, rights: Rights, tenantId: string, role: string): string | undefined {
  return authority.rightsOfRole(role, tenantId).scopes.find((scope) => !mayUse(rights, scope));
}

function problemOf({ rolesWith }: Authority, scope: string, kind: Principal["kind"]): string {
  if (isReserved(scope)) return `"${scope}" is reserved for keys of the operator's own tenant; remove it.`;
  const problem = `you cannot give a key the scope "${scope}", which you do not have`;
  const roles = kind === "dashboard_user" ? rolesWith(scope) : [];
  return roles.length === 0
    ? `${problem}; remove it.`
    : `${problem}; remove it, or ask a user with one of the roles ${roles.join(", ")}.`;
}
