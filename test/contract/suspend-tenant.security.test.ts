// promise: suspension.denies
import { describe, expect, test } from "vitest";
import { dashboardOf } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { sharedWithRoles } from "../harness/roles.ts";
import { isFirstOfItsKind, RPCS } from "../harness/rpcs.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

const tenant = newTenant();
const { key, key_id } = await dashboardOf(latchkey, tenant).createKey({ permissions: ["*"] });
await operator.result("tenants/suspend", { tenant_id: tenant });

async function check(headers: Record<string, string>) {
  const { status, headers: answered } = await fetch(`${latchkey.url}/auth/check?scope=plans:read`, { headers });
  return { status, reason: answered.get("x-auth-denial-reason"), tenant: answered.get("x-auth-tenant-id") };
}

describe("a user of a suspended tenant is 403 tenant_suspended", () => {
  test.each(RPCS.filter(isFirstOfItsKind))("at $path", async (rpc) => {
    const headers = await latchkey.dashboard(tenant);
    for (const path of [rpc.path, rpc.procedure]) {
      const { status, json } = await latchkey.call(path, rpc.body(key_id), headers);
      expect([status, json.code, json.denial_reason, json.message]).toEqual([
        403,
        "permission_denied",
        "tenant_suspended",
        "The tenant of this user is suspended; have the operator of this service resume it. See /docs/errors#tenant_suspended",
      ]);
    }
  });

  test("at /auth/check", async () => {
    const headers = await latchkey.dashboard(tenant);
    expect(await check(headers)).toEqual({ status: 403, reason: "tenant_suspended", tenant: null });
  });

  test("at auth/verify, also where no tenant is needed, and for an explanation", async () => {
    for (const body of [{ tenant_optional: true }, { explain: true, key_id }, { scope: "plans:read" }]) {
      const { json } = await latchkey.call("/api/v1/auth/verify", body, await latchkey.dashboard(tenant));
      expect(json.denial_reason).toBe("tenant_suspended");
    }
  });

  test("with a malformed body, too: the body is not read", async () => {
    const { json } = await latchkey.call("/api/v1/api-keys/create", "{", await latchkey.dashboard(tenant));
    expect(json.denial_reason).toBe("tenant_suspended");
  });

  test("whatever the user's role", async () => {
    const withRoles = await sharedWithRoles();
    await operatorOf(withRoles).result("tenants/suspend", { tenant_id: tenant });
    for (const role of ["owner", "viewer", "unknown"]) {
      const { json } = await withRoles.call("/api/v1/orgs/create", { name: "x" }, await withRoles.user(role, tenant));
      expect(json.denial_reason).toBe("tenant_suspended");
    }
  });

  test("only with a token that is valid: another has the denial that it had", async () => {
    const token = await latchkey.dashboardToken({ tenant_id: tenant, aud: "another" });
    const { json } = await latchkey.call("/api/v1/api-keys/list", {}, { authorization: `Bearer ${token}` });
    expect(json.denial_reason).toBe("jwt_invalid_audience");
  });
});

describe("a key of a suspended tenant is 401 api_key_disabled", () => {
  test.each(RPCS.filter(isFirstOfItsKind))("at $path", async (rpc) => {
    for (const path of [rpc.path, rpc.procedure]) {
      const { status, json } = await latchkey.call(path, rpc.body(key_id), { "x-api-key": key });
      expect([status, json.denial_reason]).toEqual([401, "api_key_disabled"]);
      expect(json.message).toMatch(/^The tenant of this API key is suspended/);
    }
  });

  test("at /auth/check", async () => {
    expect(await check({ "x-api-key": key })).toEqual({ status: 401, reason: "api_key_disabled", tenant: null });
  });

  test("where it acts for a user", async () => {
    const headers = { "x-api-key": key, "x-on-behalf-of": "u1" };
    expect((await latchkey.call("/api/v1/auth/verify", {}, headers)).json.denial_reason).toBe("api_key_disabled");
  });

  test("and spends nothing", async () => {
    const limited = newTenant();
    const dashboard = dashboardOf(latchkey, limited);
    const one = await dashboard.createKey({ rate_limit: { requests_per_minute: 1 } });
    await operator.result("tenants/suspend", { tenant_id: limited });
    for (let n = 0; n < 3; n++) {
      const { json } = await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": one.key });
      expect(json.denial_reason).toBe("api_key_disabled");
    }
    await operator.result("tenants/resume", { tenant_id: limited });
    expect((await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": one.key })).status).toBe(200);
  });
});

describe("a suspension does not reach", () => {
  test("users without a tenant, and those of a tenant with a similar id", async () => {
    for (const other of [undefined, tenant.toUpperCase(), ` ${tenant}`, tenant.slice(0, -1), `${tenant} `]) {
      const token = await latchkey.dashboardToken({ tenant_id: other });
      const body = { tenant_optional: true };
      const { status } = await latchkey.call("/api/v1/auth/verify", body, { authorization: `Bearer ${token}` });
      expect([other, status]).toEqual([other, 200]);
    }
  });

  test("the operator, who still manages the tenant's keys", async () => {
    const other = await operator.result("keys/create", { tenant_id: tenant, name: "x", permissions: ["plans:read"] });
    for (const verb of ["keys/disable", "keys/enable", "keys/revoke"] as const) {
      await operator.result(verb, { key_id: other.key_id });
    }
  });
});
