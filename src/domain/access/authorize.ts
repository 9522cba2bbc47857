import { withoutKey } from "../tokens/checked-by.ts";
import { Denial } from "../vocabulary/denial.ts";
import type { Authority } from "./authority.ts";
import { checkImpersonation, type Impersonation, impersonate } from "./impersonation.ts";
import type { Policy } from "./policy.ts";
import type { Principal } from "./principal.ts";
import { anyGrants, isReserved, mayUse } from "./scopes.ts";

/** Names the roles that have a scope, in messages. */
export type RolesWith = Authority["rolesWith"];

/**
 * Authorizes an authenticated caller: kind (or token), scope, impersonation, tenant, in this order. A dashboard user without a tenant
 * has no role either, so where they need a tenant first, no denial names a scope. `checked`: what `X-On-Behalf-Of` comes to, if
 * that is known. Returns the principal of the call. Throws `Denial`, or `RequestFault` for a malformed `X-On-Behalf-Of`.
 */
export function authorize(
  principal: Principal,
  policy: Policy,
  onBehalfOf: readonly string[],
  rolesWith: RolesWith,
  checked?: Impersonation,
): Principal {
  requireKind(principal, policy);
  const isUser = principal.kind === "dashboard_user";
  const scope = isUser ? policy.userScope : policy.scope;
  const needsTenantFirst = isUser && principal.tenantId === null && !policy.tenantOptional;
  if (scope !== null && !needsTenantFirst) requireScope(principal, scope, rolesWith);
  const acting = impersonate(checked ?? checkImpersonation(principal, onBehalfOf));
  if (!policy.tenantOptional && acting.tenantId === null) throw noTenant(policy);
  return acting;
}

/** Where an app's users may call, the token may be one of theirs, without the app's key. */
function noTenant({ callers }: Policy): Denial {
  return callers.has("publishable_key") ? withoutKey("tenant_required") : new Denial("tenant_required");
}

/** The tenant a call is made for. A dashboard user may have none. */
export function requireTenant({ tenantId }: Principal): string {
  if (tenantId === null) throw new Denial("tenant_required");
  return tenantId;
}

/** The caller must have the scope, or all that a wildcard stands for. */
export function requireScope(principal: Principal, scope: string, rolesWith: RolesWith): void {
  if (mayUse(principal.rights, scope)) return;
  const message =
    principal.kind === "dashboard_user"
      ? `This user lacks the scope ${scope}${roleRemedy(scope, rolesWith)}.`
      : keyProblem(principal, scope);
  throw new Denial("insufficient_scope", { message, scope });
}

function keyProblem(principal: Principal, scope: string): string {
  const lacks = `lacks the scope ${scope}${keyRemedy(principal, scope)}.`;
  if (principal.kind !== "secret_key" || principal.token === undefined) return `This API key ${lacks}`;
  return anyGrants(principal.token.scopes, scope)
    ? `This token has the scope ${scope}, but its API key ${lacks}`
    : `This token lacks the scope ${scope}; get one that has it, from a key that has it.`;
}

const RESERVED = ", which is reserved for the operator's own tenant";

function roleRemedy(scope: string, rolesWith: RolesWith): string {
  const roles = rolesWith(scope);
  if (isReserved(scope)) {
    const remedy = `${RESERVED}; call with a user of that tenant`;
    return roles.length === 0 ? remedy : `${remedy} who has one of the roles ${roles.join(", ")}`;
  }
  if (roles.length === 0) return ", which no role has; have the operator add it to one";
  return `; have an administrator give them one of the roles that have it: ${roles.join(", ")}`;
}

function keyRemedy({ rights }: Principal, scope: string): string {
  return isReserved(scope) && !rights.includeReserved
    ? `${RESERVED}; use a key of that tenant`
    : "; use a key that has it, or add it to this key's permissions";
}

function requireKind(principal: Principal, policy: Policy): void {
  if (principal.kind === "secret_key" && principal.token !== undefined) {
    const denial = tokenDenial(policy);
    if (denial !== undefined) throw denial;
  } else if (!policy.callers.has(principal.kind))
    throw new Denial("insufficient_scope", {
      message: kindProblem(principal, policy),
      ...(isKey(principal) && { specific: "key_not_allowed" }),
    });
}

function isKey({ kind }: Principal): boolean {
  return kind === "secret_key" || kind === "publishable_key";
}

/** What an RPC makes can outlive the token that calls it, so a token may call only where the policy says so. */
export function tokenDenial({ tokens, callers }: Policy): Denial | undefined {
  if (tokens) return undefined;
  const remedy = callers.has("secret_key") ? "call with the API key itself" : "call with a dashboard user's token";
  return new Denial("insufficient_scope", {
    message: `An access token cannot do this, whatever its scopes; ${remedy}.`,
    specific: "token_not_allowed",
  });
}

function kindProblem(principal: Principal, { callers }: Policy): string {
  const { kind } = principal;
  if (kind === "operator")
    return "The operator's token is for /api/v1/operator/ alone; call with a user's token or an API key.";
  if (kind === "publishable_key" && callers.has("secret_key"))
    return `A publishable key cannot do this, whatever its scopes; call with a secret key, from a server${callers.has("dashboard_user") ? ", or with a dashboard user's token and without X-API-Key" : ""}.`;
  if (kind === "dashboard_user") return "A dashboard user cannot do this, whatever their roles; call with an API key.";
  return "An API key cannot do this, whatever its scopes; call with a dashboard user's token and without X-API-Key.";
}
