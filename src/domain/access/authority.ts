import type { KeyRecord } from "../credentials/key.ts";
import { claimNames } from "../tokens/claim-names.ts";
import { type Claims, findClaim } from "../tokens/claims.ts";
import type { Catalogue } from "./catalogue.ts";
import { narrowed } from "./narrowed.ts";
import { anyGrants, isReserved, type Rights } from "./scopes.ts";

/** The rules of who may do what, as the operator has configured them. */
export interface AccessRules {
  readonly catalogue: Catalogue;
  /**
   * The claim of a dashboard user's token that holds their roles. Null: a member of an organization has the role of the
   * membership, and each other user with a tenant is `admin`.
   */
  readonly rolesClaim: string | null;
  /** The scopes of each role: the built-in roles, and those of ROLES_FILE. */
  readonly roles: ReadonlyMap<string, readonly string[]>;
  /** The operator's own tenant, the one that the reserved scopes belong to. Null: none is named. */
  readonly operatorTenant: string | null;
}

/** Which rights a caller has, and which it may give to keys. */
export interface Authority {
  readonly catalogue: Catalogue;
  /** Whether the roles of users are in their tokens. */
  readonly readsRoles: boolean;
  /** All roles with their scopes. */
  readonly roles: AccessRules["roles"];
  rightsOfKey(key: Pick<KeyRecord, "type" | "permissions" | "tenantId">): Rights;
  /** What a token for a key may do: what both the key's permissions and the token's scopes grant. */
  rightsOfToken(key: Pick<KeyRecord, "type" | "permissions" | "tenantId">, scopes: readonly string[]): Rights;
  /** The rights of a dashboard user by these roles; without them, by the roles in their token. */
  rightsOfUser(claims: Claims, tenantId: string | null, memberRoles?: readonly string[]): Rights;
  /** The rights that a role gives to members of a tenant. None for an unknown role. */
  rightsOfRole(role: string, tenantId: string): Rights;
  readonly rightsOfOperator: Rights;
  /** Whether a caller with these rights may give a scope to a key of the tenant. */
  mayGrant(rights: Rights, tenantId: string, scope: string): boolean;
  /** The roles that have a scope, for messages. Empty: none has it, or roles do not decide about it. */
  rolesWith(scope: string): readonly string[];
}

const ADMIN = "admin";

/** The roles that a file need not define. */
export function builtInRoles({ scopes }: Catalogue): ReadonlyMap<string, readonly string[]> {
  const readable = scopes.map(({ name }) => name).filter((name) => name.endsWith(":read") && name !== "audit:read");
  return new Map([
    ["owner", ["*"]],
    [ADMIN, ["*"]],
    ["developer", ["api_keys:*", "conversations:*", "org:read", "plans:*", "usage:read", "users:read", "webhooks:*"]],
    ["viewer", readable],
  ]);
}

export function createAuthority({ catalogue, rolesClaim, roles, operatorTenant }: AccessRules): Authority {
  /** Without a tenant of the operator's, a key's `*` grants everything, as the specification says. */
  const keysReachReserved = (tenantId: string): boolean => operatorTenant === null || operatorTenant === tenantId;

  function rolesIn(claims: Claims, tenantId: string | null): readonly string[] {
    if (rolesClaim !== null) return claimNames(findClaim(claims, rolesClaim));
    return tenantId === null ? [] : [ADMIN];
  }

  const rightsOfKey: Authority["rightsOfKey"] = ({ type, permissions, tenantId }) =>
    withReserved(catalogue.effective(permissions, type), keysReachReserved(tenantId));

  return {
    catalogue,
    roles,
    readsRoles: rolesClaim !== null,
    rightsOfKey,
    rightsOfToken(key, scopes) {
      const { scopes: held, includeReserved } = rightsOfKey(key);
      return withReserved(narrowedOnce(held, catalogue.effective(scopes, key.type)), includeReserved);
    },
    rightsOfUser(claims, tenantId, memberRoles = rolesIn(claims, tenantId)) {
      const scopes = new Set(memberRoles.flatMap((role) => roles.get(role) ?? []));
      return withReserved([...scopes], tenantId !== null && tenantId === operatorTenant);
    },
    rightsOfRole: (role, tenantId) => withReserved(roles.get(role) ?? [], tenantId === operatorTenant),
    rightsOfOperator: { scopes: ["*"], includeReserved: true },
    mayGrant(rights, tenantId, scope) {
      if (!anyGrants(rights.scopes, scope)) return false;
      if (!isReserved(scope)) return true;
      if (operatorTenant === null) return rights.scopes.includes("*");
      return rights.includeReserved && tenantId === operatorTenant;
    },
    rolesWith: (scope) => {
      if (isReserved(scope) && operatorTenant === null) return [];
      return [...roles].filter(([, scopes]) => anyGrants(scopes, scope)).map(([role]) => role);
    },
  };
}

/** What cached records of a token and its key come to: at each request it would take longer than the look-ups. */
const narrowedScopes = new WeakMap<
  readonly string[],
  { readonly held: readonly string[]; readonly both: readonly string[] }
>();

function narrowedOnce(held: readonly string[], allowed: readonly string[]): readonly string[] {
  const known = narrowedScopes.get(allowed);
  if (known?.held === held) return known.both;
  const both = narrowed(held, allowed);
  narrowedScopes.set(allowed, { held, both });
  return both;
}

/** Does not list reserved scopes that the caller does not have. */
function withReserved(scopes: readonly string[], includeReserved: boolean): Rights {
  const shown = includeReserved || !scopes.some(isReserved) ? scopes : scopes.filter((scope) => !isReserved(scope));
  return { scopes: shown, includeReserved };
}
