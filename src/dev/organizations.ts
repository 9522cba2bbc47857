import type { UserClaims } from "./sign-in-provider.ts";
import type { SignToken } from "./token-signer.ts";

/** Users that the sign-in page offers, each with an organization of their own. */
export const DEV_USERS = [
  { sub: "dev-user", description: "owner of Development" },
  { sub: "second-user", description: "owner of Second Company" },
] as const;

const ORGS: Record<(typeof DEV_USERS)[number]["sub"], string> = {
  "dev-user": "Development",
  "second-user": "Second Company",
};

/** The claims of a development user without a tenant. */
function emailClaims(sub: string): UserClaims {
  return { email: `${sub.toLowerCase().replace(/[^a-z0-9.-]/g, "-")}@example.com`, email_verified: true };
}

/** Makes sure that each of the users owns an organization. Returns the tenants, in the order of the users. */
export async function seedOrganizations(url: string, sign: SignToken): Promise<string[]> {
  const tenants: string[] = [];
  for (const { sub } of DEV_USERS) {
    const token = await sign({ sub, ...emailClaims(sub) });
    const response = await fetch(`${url}/api/v1/orgs/create`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ name: ORGS[sub], client_org_id: "npm-run-dev" }),
    });
    if (!response.ok) throw new Error(`an organization could not be created: ${await response.text()}`);
    // Our own service's answer, whose shape the contract fixes.
    const { result } = (await response.json()) as { result: { tenant_id: string } };
    tenants.push(result.tenant_id);
  }
  return tenants;
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
