// promise: hooks.tenant
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";

const SECRET = "secret-of-the-login-hook-0123456789abcdef";

let latchkey: Latchkey;

beforeAll(async () => {
  latchkey = await startLatchkey({ config: { tenantFromMembership: true, identityHookSecrets: [SECRET] } });
});

afterAll(() => latchkey.close());

let users = 0;

/** A new user whose tokens name no tenant. */
function newUser() {
  const sub = `user-${++users}`;
  const email = `${sub}@example.com`;
  const claims = { sub, email, email_verified: true, tenant_id: undefined };
  return {
    sub,
    email,
    async call(path: string, body: object = {}, changes: Record<string, unknown> = {}) {
      const token = await latchkey.dashboardToken({ ...claims, ...changes });
      return latchkey.call(`/api/v1/${path}`, body, { authorization: `Bearer ${token}` });
    },
  };
}

describe("with the tenant of the membership", () => {
  test("a stranger founds an organization, invites a colleague and removes them, all with one token", async () => {
    const [founder, colleague] = [newUser(), newUser()];
    expect((await founder.call("api-keys/list")).json.denial_reason).toBe("tenant_required");
    const { result: org } = (await founder.call("orgs/create", { name: "Acme" })).json;
    expect((await founder.call("api-keys/list")).status).toBe(200);
    expect((await founder.call("auth/verify")).json).toMatchObject({ tenant_id: org.tenant_id, permissions: ["*"] });

    const invited = await founder.call("orgs/invitations/create", { email: colleague.email.toUpperCase() });
    expect(invited.json.result).toMatchObject({ email: colleague.email, role: "viewer" });
    const accepted = await colleague.call("orgs/invitations/accept", { token: invited.json.token });
    expect(accepted.json.result).toEqual(org);
    expect((await colleague.call("api-keys/list")).status).toBe(200);
    const body = { name: "key", permissions: ["plans:read"] };
    const denied = await colleague.call("api-keys/create", body);
    expect(denied.json).toMatchObject({ denial_reason: "insufficient_scope" });
    expect(denied.json.message).toContain("owner, admin, developer");

    const member = { user_id: colleague.sub };
    expect((await founder.call("orgs/members/set-role", { ...member, role: "developer" })).json.result.role).toBe(
      "developer",
    );
    expect((await colleague.call("api-keys/create", body)).status).toBe(200);
    expect((await founder.call("orgs/members/list")).json.members).toMatchObject([
      { user_id: founder.sub, role: "owner", email: founder.email },
      { user_id: colleague.sub, role: "developer", email: colleague.email },
    ]);

    expect((await founder.call("orgs/members/remove", member)).status).toBe(200);
    expect((await colleague.call("api-keys/list")).json.denial_reason).toBe("tenant_required");
    const old = await colleague.call("api-keys/list", {}, { tenant_id: org.tenant_id });
    expect(old.json).toMatchObject({ denial_reason: "tenant_required" });
    expect(old.json.message).toContain("removed");
  });

  test("the last owner stays, and every refusal names the way out", async () => {
    const [owner, second] = [newUser(), newUser()];
    await owner.call("orgs/create", { name: "Acme" });
    const { token } = (await owner.call("orgs/invitations/create", { email: second.email, role: "admin" })).json;
    await second.call("orgs/invitations/accept", { token });
    const member = { user_id: owner.sub };
    for (const [path, body] of [
      ["orgs/members/remove", member],
      ["orgs/members/set-role", { ...member, role: "admin" }],
    ] as const) {
      const refused = await second.call(path, body);
      expect(refused.json).toMatchObject({ code: "failed_precondition" });
      expect(refused.json.message).toContain("make another member owner first");
    }
    await owner.call("orgs/members/set-role", { user_id: second.sub, role: "owner" });
    expect((await owner.call("orgs/members/remove", member)).status).toBe(200);
    expect((await owner.call("api-keys/list")).json.denial_reason).toBe("tenant_required");
    expect((await second.call("api-keys/list")).status).toBe(200);
  });

  test("a user of several organizations switches between them", async () => {
    const user = newUser();
    const first = (await user.call("orgs/create", { name: "B first" })).json.result;
    const second = (await user.call("orgs/create", { name: "A second" })).json.result;
    const tenant = async () => (await user.call("auth/verify")).json.tenant_id;
    expect(await tenant()).toBe(second.tenant_id);
    expect((await user.call("orgs/list")).json.orgs).toMatchObject([
      { name: "A second", role: "owner", current: true },
      { name: "B first", role: "owner", current: false },
    ]);
    expect((await user.call("orgs/switch", { org_id: first.org_id })).json.result).toMatchObject({ current: true });
    expect(await tenant()).toBe(first.tenant_id);
    expect((await user.call("orgs/switch", { org_id: "org_of_others" })).json.code).toBe("not_found");
    expect((await user.call("orgs/update", { name: "C third" })).json.result.name).toBe("C third");
    expect((await user.call("orgs/get")).json.result).toEqual({ ...first, name: "C third" });
  });
});

describe("the login hook", () => {
  async function ask(body: object, query = "", secret = SECRET) {
    const response = await fetch(`${latchkey.url}/api/v1/identity/claims${query}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, json: text === "" ? {} : JSON.parse(text) };
  }

  test("receives a user's tenant and roles, in our form and in the provider's", async () => {
    const user = newUser();
    expect((await ask({ sub: user.sub })).json).toEqual({ tenant_id: "", roles: [], tenants: [] });
    const org = (await user.call("orgs/create", { name: "Acme" })).json.result;
    const tenants = [{ tenant_id: org.tenant_id, name: "Acme", roles: ["owner"] }];
    expect((await ask({ sub: user.sub })).json).toEqual({ tenant_id: org.tenant_id, roles: ["owner"], tenants });
    expect((await ask({ sub: user.sub, issuer: "https://other.example" })).json.tenants).toEqual([]);
    const supabase = await ask({ user_id: user.sub, claims: { aal: "aal1" } }, "?dialect=supabase");
    expect(supabase.json).toEqual({ claims: { aal: "aal1", tenant_id: org.tenant_id, roles: ["owner"] } });
    const okta = { data: { context: { user: { id: newTenant() } } } };
    expect((await ask(okta, "?dialect=okta")).status).toBe(204);
  });

  test("is denied without the secret", async () => {
    for (const secret of ["", "wrong", `${SECRET}x`]) {
      expect((await ask({ sub: "u" }, "", secret)).json).toMatchObject({ denial_reason: "missing_credentials" });
    }
  });
});
