// promise: requests.recent
import { describe, expect, test } from "vitest";
import { dashboardOf, PUBLISHABLE } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { requestsOf, verifyWith } from "../harness/recent-requests.ts";
import { sharedWithRoles } from "../harness/roles.ts";

const latchkey = await sharedLatchkey();
const withRoles = await sharedWithRoles();
const LIST = "/api/v1/requests/list";

describe("recent requests are read", () => {
  test.each([
    ["owner", 200],
    ["admin", 200],
    ["developer", 200],
    ["viewer", 200],
    ["unknown", 403],
  ])("by %s: %i", async (role, status) => {
    expect((await withRoles.call(LIST, {}, await withRoles.user(role))).status).toBe(status);
  });

  test("by no publishable key: none can have the scope", async () => {
    for (const scope of ["usage:read", "usage:*"]) {
      const { status } = await dashboardOf(latchkey).call("create", { ...PUBLISHABLE, permissions: [scope] });
      expect(status).toBe(400);
    }
  });
});

test("no tenant has requests of another, whatever it filters by", async () => {
  const tenant = newTenant();
  const { key, key_id } = await latchkey.createKey(await latchkey.dashboard(tenant));
  const request_id = await verifyWith(latchkey, key, { scope: "plans:write" });
  expect(await requestsOf(latchkey, tenant)).toHaveLength(1);
  for (const body of [{}, { key_id }, { request_id }, { verdict: "denied" }, { reason: "insufficient_scope" }]) {
    expect(await requestsOf(latchkey, newTenant(), body)).toEqual([]);
  }
});

test("denials without a known key are in the list of no tenant", async () => {
  const tenant = newTenant();
  await latchkey.call(LIST, {}, { "x-api-key": "sk_unknown" });
  await latchkey.call(LIST, {}, {});
  expect(await requestsOf(latchkey, tenant)).toEqual([]);
});

test("no key, part of one or token is in what is kept, wherever it is sent", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key } = await dashboard.createKey({ permissions: ["plans:read"] });
  const publishable = await dashboard.createKey(PUBLISHABLE);
  const token = await latchkey.dashboardToken({ tenant_id: dashboard.tenant });
  const verify = (headers: Record<string, string>) =>
    latchkey.call("/api/v1/auth/verify", { scope: "plans:write" }, headers);
  await verify({ "x-api-key": key, "x-request-id": key });
  await verify({ "x-api-key": key, origin: `https://${key}.example` });
  await verify({ "x-api-key": key, "x-on-behalf-of": key });
  await verify({ "x-api-key": publishable.key, authorization: `Bearer ${token}` });
  await verify({ "x-api-key": publishable.key, authorization: `Bearer ${key}` });
  await verify({ "x-api-key": publishable.key, authorization: `${token} x` });
  await latchkey.call(`/api/v1/${key}`, {}, { "x-api-key": key });
  const kept = JSON.stringify(await requestsOf(latchkey, dashboard.tenant, { per_page: 100 }));
  expect(JSON.parse(kept).length).toBeGreaterThanOrEqual(6);
  for (const secret of [key.slice(3, 20), publishable.key.slice(3, 20), token.slice(0, 20), token.slice(-20)]) {
    expect(kept).not.toContain(secret);
  }
});
