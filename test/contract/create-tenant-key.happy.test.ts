// promise: operator.first-key
import { describe, expect, test } from "vitest";
import { dashboardOf, instant, OIDC, useKey } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

const valid = (tenant_id: string, fields: object = {}) => ({
  tenant_id,
  name: "a key",
  permissions: ["conversations:*"],
  ...fields,
});

test("the key is one of the tenant's, and works at once", async () => {
  const dashboard = dashboardOf(latchkey);
  const issued = await operator.result("keys/create", valid(dashboard.tenant));
  expect(issued).toEqual({
    key_id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
    key: expect.stringMatching(/^sk_[0-9A-Za-z]{36}$/),
    key_prefix: issued.key.slice(0, 12),
  });
  expect(await useKey(latchkey, issued.key)).toBe("admitted");
  const verified = await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": issued.key });
  expect(verified.json).toMatchObject({ caller: "CALLER_SECRET_KEY", tenant_id: dashboard.tenant });
  expect(await dashboard.result("get", { key_id: issued.key_id })).toMatchObject({ name: "a key" });
});

test("it is like a key that its tenant has made, member by member", async () => {
  const dashboard = dashboardOf(latchkey);
  const fields = {
    name: "the same",
    description: "a note",
    permissions: ["plans:read", "users:*"],
    rate_limit: { requests_per_minute: 5, requests_per_hour: 50, burst_size: 7 },
    expires_at: instant(latchkey, HOUR),
  };
  const own = await dashboard.createKey(fields);
  const given = await operator.result("keys/create", valid(dashboard.tenant, fields));
  const [ownRecord, record] = await Promise.all([own, given].map(({ key_id }) => dashboard.result("get", { key_id })));
  const { key_id, key_prefix, created_at, updated_at, created_by } = record ?? {};
  expect(record).toEqual({ ...ownRecord, key_id, key_prefix, created_at, updated_at, created_by });
  expect(created_by).toMatchObject({ kind: "operator", operator_token: 1 });
});

test("its tenant manages it as any other", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await operator.result("keys/create", valid(dashboard.tenant));
  const successor = await dashboard.result("rotate", { key_id, grace_period_hours: 0 });
  expect(await useKey(latchkey, successor.key)).toBe("admitted");
  await dashboard.result("revoke", { key_id });
  expect(await useKey(latchkey, key)).toBe("api_key_revoked");
});

test("a publishable key can be made", async () => {
  const dashboard = dashboardOf(latchkey);
  const fields = { keyType: "KEY_TYPE_PUBLISHABLE", publishableConfig: { oidc: OIDC } };
  const { key, key_id } = await operator.result("keys/create", valid(dashboard.tenant, fields));
  expect(key).toMatch(/^pk_/);
  expect(await dashboard.result("get", { key_id })).toMatchObject({ keyType: "KEY_TYPE_PUBLISHABLE" });
  expect(await useKey(latchkey, key)).toBe("publishable_key_requires_jwt");
});

describe("the tenant need not be known:", () => {
  test.each(["acme", "Ärger & Söhne", "t".repeat(256), "00000000-0000-4000-8000-000000000000"])(
    "%.40s",
    async (name) => {
      const tenant = `${newTenant()}${name}`.slice(-256);
      const { key } = await operator.result("keys/create", valid(tenant));
      const { json } = await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key });
      expect(json.tenant_id).toBe(tenant);
    },
  );
});

test("it is the first key of a deployment without an identity provider", async () => {
  const own = await startLatchkey({ config: { dashboard: null } });
  const { key } = await operatorOf(own).result("keys/create", valid("acme"));
  expect(await useKey(own, key)).toBe("admitted");
  await own.close();
});

test("where the tenant is suspended, the key is disabled until the tenant is resumed", async () => {
  const tenant = newTenant();
  await operator.answer("tenants/suspend", { tenant_id: tenant });
  const { key } = await operator.result("keys/create", valid(tenant));
  expect(await useKey(latchkey, key)).toBe("api_key_disabled");
  await operator.answer("tenants/resume", { tenant_id: tenant });
  expect(await useKey(latchkey, key)).toBe("admitted");
});
