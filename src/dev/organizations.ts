import { newId } from "../domain/ids.ts";
import type { SqlDatabase } from "../store/sql/database.ts";
import { createOrgStore } from "../store/sql/org-store.ts";
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

/** Makes sure that each of the users owns their organization, whatever the issuer: it changes with the provider's port. */
export async function seedOrganizations(database: SqlDatabase): Promise<void> {
  const orgs = createOrgStore(database);
  for (const { sub, org } of DEV_USERS) {
    const owner = { issuer: "", userId: sub };
    const actor = { kind: "dashboard_user", ...owner, keyId: null, operatorToken: null } as const;
    const act = { actor, action: "org.created", address: null, requestId: newId("req"), traceId: null };
    await orgs.createOrg(org, owner, emailClaims(sub).email, "npm-run-dev", act);
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
