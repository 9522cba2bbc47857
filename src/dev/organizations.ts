import { OWNER } from "../domain/orgs/org.ts";
import { newId } from "../domain/vocabulary/ids.ts";
import type { SqlDatabase } from "../store/sql/driver/database.ts";
import { createOrgStore } from "../store/sql/orgs/org-store.ts";
import type { UserClaims } from "./sign-in-provider.ts";

/** Users that the sign-in page offers, each with an organization of their own. */
export const DEV_USERS = [
  {
    sub: "dev-user",
    description: "owner of Development",
    org: { orgId: "org_dev", tenantId: "ten_dev", name: "Development" },
  },
  {
    sub: "second-user",
    description: "owner of Second Company",
    org: { orgId: "org_second", tenantId: "ten_second", name: "Second Company" },
  },
] as const;

/** The claims that every development user has. */
export function emailClaims(sub: string): UserClaims {
  return { email: `${sub.toLowerCase().replace(/[^a-z0-9.-]/g, "-")}@example.com`, email_verified: true };
}

/**
 * The claims of the first user as owner of their organization, in `env.sh` and by default in `dev:token`. Not those of the login
 * hook: after the user has switched to another organization, the two would differ, and each start have another tenant.
 */
export function ownerClaims() {
  const [{ sub, org }] = DEV_USERS;
  return { sub, ...emailClaims(sub), tenant_id: org.tenantId, roles: ["owner"] };
}

/**
 * Makes sure that each of the users owns their organization, as a user of this issuer, which changes with the provider's port.
 * A user who was removed or demoted is an owner again.
 */
export async function seedOrganizations(database: SqlDatabase, issuer: string): Promise<void> {
  const orgs = createOrgStore(database);
  for (const { sub, org } of DEV_USERS) {
    const owner = { issuer, userId: sub };
    const actor = { kind: "dashboard_user", ...owner, keyId: null, operatorToken: null } as const;
    const act = { actor, action: "org.created", address: null, requestId: newId("req"), traceId: null };
    // One whose tenant was erased is still there, without its name, and cannot be made again.
    if ((await orgs.findOrg(org.tenantId)) === undefined)
      await orgs.createOrg(org, owner, emailClaims(sub).email, "npm-run-dev", act);
    const row = { org_id: org.orgId, user_id: sub, issuer };
    await database.db
      .deleteFrom("org_members")
      .where("org_id", "=", row.org_id)
      .where("user_id", "=", sub)
      .where("issuer", "<>", issuer)
      .execute();
    await database.db
      .insertInto("org_members")
      .values({ ...row, role: OWNER, email: emailClaims(sub).email, created_at: new Date() })
      .onConflict((conflict) =>
        conflict.columns(["org_id", "user_id", "issuer"]).doUpdateSet({ role: OWNER, removed_at: null }),
      )
      .execute();
  }
}

/** What a login hook does: asks the service which tenant a user's token gets. */
export async function claimsFromHook(url: string, secret: string, sub: string): Promise<UserClaims> {
  const response = await fetch(`${url}/api/v1/identity/claims`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${secret}` },
    body: JSON.stringify({ sub }),
    signal: AbortSignal.timeout(2_000),
  });
  if (!response.ok) throw new Error(`identity/claims answered ${response.status}`);
  const { tenant_id, roles } = (await response.json()) as { tenant_id: string; roles: string[] };
  return { ...emailClaims(sub), ...(tenant_id !== "" && { tenant_id, roles }) };
}
