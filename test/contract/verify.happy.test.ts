// promise: verify.same
import { expect, test } from "vitest";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";

const VERIFY = "/api/v1/auth/verify";

const latchkey = await sharedLatchkey();

test("a secret key is answered with its tenant, id and scopes", async () => {
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

test("a key that acts for a user is answered with that user", async () => {
  const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions: ["users:*"] });
  const { json } = await latchkey.call(VERIFY, {}, { "x-api-key": key, "x-on-behalf-of": "u7" });
  expect(json).toMatchObject({ user_id: "u7", acting_for: "u7" });
});

test("a dashboard user has every scope, and is answered with tenant and user", async () => {
  const tenant = newTenant();
  const { json } = await latchkey.call(VERIFY, { scope: "billing:write" }, await latchkey.dashboard(tenant));
  expect(json).toMatchObject({ caller: "CALLER_DASHBOARD_USER", tenant_id: tenant, user_id: "user-1", key_id: "" });
});

test("a dashboard user without a tenant is verified only with tenant_optional", async () => {
  const headers = { authorization: `Bearer ${await latchkey.dashboardToken({ tenant_id: undefined })}` };
  const denied = await latchkey.call(VERIFY, {}, headers);
  expect([denied.status, denied.json.denial_reason]).toEqual([403, "tenant_required"]);
  const allowed = await latchkey.call(VERIFY, { tenant_optional: true }, headers);
  expect(allowed.json).toMatchObject({ caller: "CALLER_DASHBOARD_USER", tenant_id: "", user_id: "user-1" });
});
