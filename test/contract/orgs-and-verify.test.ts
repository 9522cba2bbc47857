import { describe, expect, test } from "vitest";
import { newTenant, sharedLatchkey, startLatchkey, testStorage } from "../harness/latchkey.ts";
import { storedText } from "../harness/stored-text.ts";

const CREATE = "/api/v1/orgs/create";
const VERIFY = "/api/v1/auth/verify";

const latchkey = await sharedLatchkey();

describe("orgs/create", () => {
  test("makes an organization with a tenant of its own, for a user without a tenant too", async () => {
    const token = await latchkey.dashboardToken({ tenant_id: undefined });
    const make = () => latchkey.call(CREATE, { name: "Acme" }, { authorization: `Bearer ${token}` });
    const [first, second] = [await make(), await make()];
    expect(first.json).toEqual({
      result: {
        org_id: expect.stringMatching(/^org_/),
        tenant_id: expect.stringMatching(/^ten_/),
        name: "Acme",
        created_at: expect.stringMatching(/Z$/),
      },
    });
    expect(second.json.result.tenant_id).not.toBe(first.json.result.tenant_id);
  });

  test("records who creates it as its owner", async () => {
    const { storage, cleanUp } = await testStorage();
    const own = await startLatchkey({ config: { storage } });
    const token = await own.dashboardToken({ sub: "anna" });
    const { json } = await own.call(CREATE, { name: "Acme" }, { authorization: `Bearer ${token}` });
    await own.close();
    const members = (await storedText(storage)).match(/^org_members .*$/gm);
    await cleanUp();
    expect(members).toEqual([expect.stringContaining(`(${json.result.org_id},anna,owner,`)]);
  });

  test.each(["", " ", "\u0085", "\u200b", "x".repeat(129), 5, null])("refuses the name %j", async (name) => {
    const answer = await latchkey.call(CREATE, { name }, await latchkey.dashboard());
    expect(answer.status).toBe(400);
    expect(answer.json.message).toMatch(/^name: /);
  });
});

describe("auth/verify", () => {
  test("answers a secret key's tenant, id and scopes", async () => {
    const tenant = newTenant();
    const { key, key_id } = await latchkey.createKey(await latchkey.dashboard(tenant), { permissions: ["plans:*"] });
    const answer = await latchkey.call(VERIFY, { scope: "plans:read" }, { "x-api-key": key });
    expect(answer.json).toEqual({
      caller: "CALLER_SECRET_KEY",
      tenant_id: tenant,
      key_id,
      user_id: "",
      permissions: ["plans:*"],
      acting_for: "",
      rate_limit: { limit: 2_147_483_647, remaining: 2_147_483_647, reset_at: expect.stringMatching(/Z$/) },
    });
  });

  test("answers the user a key acts for, and a dashboard user", async () => {
    const tenant = newTenant();
    const dashboard = await latchkey.dashboard(tenant);
    const { key } = await latchkey.createKey(dashboard, { permissions: ["users:*"] });
    const acting = await latchkey.call(VERIFY, {}, { "x-api-key": key, "x-on-behalf-of": "u7" });
    expect(acting.json).toMatchObject({ user_id: "u7", acting_for: "u7" });
    const user = await latchkey.call(VERIFY, { scope: "billing:write" }, dashboard);
    expect(user.json).toMatchObject({
      caller: "CALLER_DASHBOARD_USER",
      tenant_id: tenant,
      user_id: "user-1",
      key_id: "",
    });
  });

  test("denies a key that lacks any of the scopes", async () => {
    const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions: ["plans:read"] });
    for (const body of [{ scope: "plans:write" }, { scopes: ["plans:read", "users:read"] }]) {
      const answer = await latchkey.call(VERIFY, body, { "x-api-key": key });
      expect({ status: answer.status, reason: answer.json.denial_reason }).toEqual({
        status: 403,
        reason: "insufficient_scope",
      });
    }
  });

  test.each([
    ["plans:reed", "is no known scope"],
    ["PLANS:read", "is no known scope"],
    ["plans:*", "must be no wildcard"],
    ["*", "must be no wildcard"],
  ])("cannot be asked for the scope %s: it %s", async (scope, problem) => {
    const answer = await latchkey.call(VERIFY, { scope }, await latchkey.dashboard());
    expect(answer.status).toBe(400);
    expect(answer.json.message).toMatch(new RegExp(`^scope: ${problem}; did you mean`));
  });
});
