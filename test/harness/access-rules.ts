import { type AccessRules, builtInRoles } from "../../src/domain/access/authority.ts";
import { createCatalogue, type Scope } from "../../src/domain/access/catalogue.ts";

/** The rules as they are where nothing is configured, with changes. */
export function accessRules({
  scopes = [],
  roles = {},
  rolesClaim = null,
  operatorTenant = null,
}: {
  readonly scopes?: readonly Scope[];
  /** Beside the built-in ones. */
  readonly roles?: Readonly<Record<string, readonly string[]>>;
  readonly rolesClaim?: string | null;
  readonly operatorTenant?: string | null;
} = {}): AccessRules {
  const catalogue = createCatalogue(scopes);
  return {
    catalogue,
    rolesClaim,
    roles: new Map([...builtInRoles(catalogue), ...Object.entries(roles)]),
    operatorTenant,
  };
}
