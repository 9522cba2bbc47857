import type { Principal } from "../identity/principal.ts";
import { invalid } from "../request-fault.ts";
import { requireScope, requireTenant } from "./authorize.ts";
import { isAction, isGrantable, nearestAction } from "./scopes.ts";

/** What another service of the platform asks about a caller that the gate has authenticated. */
export interface Question {
  /** Scopes the caller must all hold, by the name of the field that names them. */
  readonly scopes: readonly (readonly [field: string, scope: string])[];
  readonly tenantOptional: boolean;
}

/** Throws `Denial` for a caller without the scopes or the tenant that the question requires. */
export function verifyCaller(principal: Principal, { scopes, tenantOptional }: Question): void {
  requireActions(scopes);
  for (const [, scope] of scopes) requireScope(principal, scope);
  if (!tenantOptional) requireTenant(principal);
}

/** An unknown scope is the asking service's mistake, not a denial of its caller. */
export function requireActions(scopes: Question["scopes"]): void {
  for (const [field, scope] of scopes) {
    if (isAction(scope)) continue;
    const problem = isGrantable(scope) ? "must be no wildcard" : "is no known scope";
    throw invalid(field, `${problem}; did you mean "${nearestAction(scope)}"? Ask for one "domain:action"`);
  }
}
