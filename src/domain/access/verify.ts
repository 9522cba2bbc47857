import { withoutKey } from "../tokens/checked-by.ts";
import { faultOf, invalid, type RequestFault } from "../vocabulary/request-fault.ts";
import type { Authority } from "./authority.ts";
import { requireScope } from "./authorize.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Principal } from "./principal.ts";

/** A question of another service of the platform about a caller that the gate has authenticated. */
export interface Question {
  /** Scopes the caller must all have, by the name of the field that names them. */
  readonly scopes: readonly (readonly [field: string, scope: string])[];
  readonly tenantOptional: boolean;
}

/** Throws `Denial` for a caller without the tenant or the scopes that the question requires. */
export function verifyCaller(
  principal: Principal,
  { scopes, tenantOptional }: Question,
  { catalogue, rolesWith }: Pick<Authority, "catalogue" | "rolesWith">,
): void {
  requireActions(scopes, catalogue);
  if (!tenantOptional && principal.tenantId === null) throw withoutKey("tenant_required");
  for (const [, scope] of scopes) requireScope(principal, scope, rolesWith);
}

/** An unknown scope is the asking service's mistake, not a denial of its caller. */
export function requireActions(scopes: Question["scopes"], catalogue: Catalogue): void {
  for (const [field, scope] of scopes) {
    if (catalogue.isAction(scope)) continue;
    if (catalogue.isGrantable(scope)) throw invalid(field, 'must be no wildcard; ask for one "domain:action"');
    throw unknownScope(field, catalogue.nearestAction(scope));
  }
}

/** The fault of a scope that is not in the catalogue. */
export function unknownScope(field: string, meant: string | undefined): RequestFault {
  const listed = "list is closed: POST /api/v1/scopes/list returns all of it";
  const problem =
    meant === undefined
      ? `is not a known scope; the ${listed}`
      : `is not a known scope; did you mean "${meant}"? The ${listed}`;
  return faultOf("unknown_scope", field, problem);
}
