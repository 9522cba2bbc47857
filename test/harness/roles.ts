import { accessRules } from "./access-rules.ts";
import { type Latchkey, newTenant, sharedLatchkey, startLatchkey } from "./latchkey.ts";

export const OPERATOR_TENANT = "ten_operator";

/** The platform's own scopes, of which a publishable key can hold the first. */
export const OWN_SCOPES = [
  { name: "reports:read", description: "Read reports.", publishable: true },
  { name: "reports:write", description: "Create and change reports.", publishable: false },
] as const;

/** Beside the built-in ones. */
const OWN_ROLES = {
  reporter: ["reports:*"],
  keymaker: ["api_keys:*"],
  ops: ["system:*"],
} as const;

/** A service whose users have the scopes of the roles in their tokens, with a tenant of the operator's. */
export interface LatchkeyWithRoles extends Latchkey {
  /** Headers of a user with this role, in the claim `roles`; of a new tenant unless given. */
  user(role: string, tenant?: string): Promise<Record<string, string>>;
}

const BY_TOKEN = accessRules({ rolesClaim: "roles" });

/** A shared service whose users have the built-in roles in the claim `roles`, and that has no operator's tenant. */
export function sharedWithRolesInTokens(): Promise<Latchkey> {
  return sharedLatchkey({ access: BY_TOKEN });
}

let shared: Promise<LatchkeyWithRoles> | undefined;

/** One service for all test files of a worker: use unique tenants, and mint tokens after moving the clock. */
export function sharedWithRoles(): Promise<LatchkeyWithRoles> {
  shared ??= startWithRoles();
  return shared;
}

async function startWithRoles(): Promise<LatchkeyWithRoles> {
  const access = accessRules({
    scopes: OWN_SCOPES,
    roles: OWN_ROLES,
    rolesClaim: "roles",
    operatorTenant: OPERATOR_TENANT,
  });
  const latchkey = await startLatchkey({ config: { access } });
  return {
    ...latchkey,
    user: async (role, tenant = newTenant()) => ({
      authorization: `Bearer ${await latchkey.dashboardToken({ tenant_id: tenant, roles: [role] })}`,
    }),
  };
}
