// promise: grants.own, scopes.reserved
import { describe, expect, test } from "vitest";
import { accessRules } from "../harness/access-rules.ts";
import { PUBLISHABLE } from "../harness/key-management.ts";
import { newTenant, startLatchkey } from "../harness/latchkey.ts";
import { OPERATOR_TENANT, sharedWithRoles } from "../harness/roles.ts";
import { storedSecretKey } from "../harness/stored-key.ts";

const API_KEYS = "/api/v1/api-keys/";

const withRoles = await sharedWithRoles();

const call = async (tenant: string, role: string, method: string, body: object) =>
  withRoles.call(`${API_KEYS}${method}`, body, await withRoles.user(role, tenant));

const result = async (tenant: string, role: string, method: string, body: object) => {
  const { status, json, text } = await call(tenant, role, method, body);
  expect(status, text).toBe(200);
  return json.result;
};

/** A key of a new tenant, made by its owner. */
async function ownersKey(permissions: string[], fields: object = {}) {
  const tenant = newTenant();
  const key = await result(tenant, "owner", "create", { name: "a key", permissions, ...fields });
  return { tenant, ...key };
}

function expectRefused({ status, json }: Awaited<ReturnType<typeof call>>, index: number, scope: string): void {
  expect([status, json.code, json.denial_reason]).toEqual([403, "permission_denied", "insufficient_scope"]);
  expect(json.message).toMatch(
    new RegExp(`^permissions\\[${index}\\]: you cannot give a key the scope "${scope.replace("*", "\\*")}"`),
  );
}

describe("to create a key needs each of its scopes:", () => {
  const create = (role: string, permissions: string[], fields: object = {}) =>
    call(newTenant(), role, "create", { name: "a key", permissions, ...fields });

  test.each([
    ["owner", ["*"]],
    ["admin", ["*", "billing:*", "reports:write"]],
    ["developer", ["plans:read", "plans:*", "conversations:write", "users:read", "api_keys:*"]],
    ["keymaker", ["api_keys:read", "api_keys:*"]],
  ])("a %s may give %j", async (role, permissions) => {
    expect((await create(role, permissions)).status).toBe(200);
  });

  test.each([
    ["developer", ["billing:read"], 0],
    ["developer", ["plans:read", "users:*"], 1],
    ["developer", ["plans:*", "users:read", "users:impersonate"], 2],
    ["developer", ["*"], 0],
    ["developer", ["reports:read"], 0],
    ["keymaker", ["plans:read"], 0],
    ["keymaker", ["api_keys:*", "*"], 1],
  ])("a %s may not give %j", async (role, permissions, index) => {
    expectRefused(await create(role, permissions), index, permissions[index] ?? "");
  });

  test("the message names the roles that have it", async () => {
    const { json } = await create("developer", ["billing:read"]);
    expect(json.message).toBe(
      'permissions[0]: you cannot give a key the scope "billing:read", which you do not have; remove it, or ask a user with one of the roles owner, admin, viewer. See /docs/errors#insufficient_scope',
    );
  });

  test("also of a publishable key", async () => {
    expectRefused(await create("developer", ["invoices:read"], PUBLISHABLE), 0, "invoices:read");
    expect((await create("developer", ["plans:read"], PUBLISHABLE)).status).toBe(200);
  });

  test("a scope that does not exist is 400 before that", async () => {
    expect((await create("developer", ["billing:nope"])).status).toBe(400);
  });

  test("a refused key is not made", async () => {
    const tenant = newTenant();
    await call(tenant, "developer", "create", { name: "a key", permissions: ["*"] });
    expect((await call(tenant, "owner", "list", {})).json.pagination.total).toBe(0);
  });
});

describe("to update a key needs each scope that it has afterwards:", () => {
  test("a scope that the caller lacks is not added", async () => {
    const { tenant, key_id } = await ownersKey(["plans:read"]);
    const body = { key_id, permissions: ["plans:read", "billing:read"], update_mask: "permissions" };
    expectRefused(await call(tenant, "developer", "update", body), 1, "billing:read");
    expect((await result(tenant, "owner", "get", { key_id })).permissions).toEqual(["plans:read"]);
  });

  test("the name of a key beyond the caller's rights does not change, nor its limit", async () => {
    const { tenant, key_id } = await ownersKey(["plans:read", "billing:read"]);
    for (const body of [
      { name: "taken over", update_mask: "name" },
      { rate_limit: { requests_per_minute: 1 }, update_mask: "rate_limit" },
      { description: "x", update_mask: "description" },
    ]) {
      expectRefused(await call(tenant, "developer", "update", { key_id, ...body }), 1, "billing:read");
    }
    expect((await result(tenant, "owner", "get", { key_id })).name).toBe("a key");
  });

  test("such a key can be reduced to the caller's rights", async () => {
    const { tenant, key_id } = await ownersKey(["*"]);
    const body = { key_id, permissions: ["plans:read"], update_mask: "permissions" };
    expect((await result(tenant, "developer", "update", body)).permissions).toEqual(["plans:read"]);
  });

  test("what the caller has is added", async () => {
    const { tenant, key_id } = await ownersKey(["plans:read"]);
    const body = { key_id, permissions: ["plans:*", "webhooks:write"], update_mask: "permissions" };
    expect((await result(tenant, "developer", "update", body)).permissions).toEqual(["plans:*", "webhooks:write"]);
  });
});

describe("a key beyond the caller's rights", () => {
  // threat: R12
  test.each([["*"], ["billing:*"], ["users:*"]])(
    "with %s is not rotated: the answer would hold a new key",
    async (scope) => {
      const { tenant, key_id } = await ownersKey([scope]);
      expectRefused(await call(tenant, "developer", "rotate", { key_id }), 0, scope);
      const { keys } = (await call(tenant, "owner", "list", {})).json;
      expect(keys).toMatchObject([{ key_id, status: "KEY_STATUS_ACTIVE" }]);
      expect(keys[0]).not.toHaveProperty("rotated_to");
    },
  );

  test("is not enabled", async () => {
    const { tenant, key_id } = await ownersKey(["billing:read"]);
    await result(tenant, "owner", "disable", { key_id });
    expectRefused(await call(tenant, "developer", "enable", { key_id }), 0, "billing:read");
    expect((await result(tenant, "owner", "get", { key_id })).status).toBe("KEY_STATUS_DISABLED");
    await result(tenant, "admin", "enable", { key_id });
  });

  test("is disabled and revoked", async () => {
    const { tenant, key_id } = await ownersKey(["*"]);
    expect((await result(tenant, "developer", "disable", { key_id })).status).toBe("KEY_STATUS_DISABLED");
    expect((await result(tenant, "keymaker", "revoke", { key_id })).status).toBe("KEY_STATUS_REVOKED");
  });

  // threat: X5
  test("that is revoked, or another tenant's, has the fault that it had", async () => {
    const { tenant, key_id } = await ownersKey(["*"]);
    expect((await call(newTenant(), "developer", "rotate", { key_id })).status).toBe(404);
    await result(tenant, "owner", "revoke", { key_id });
    const { status, json } = await call(tenant, "developer", "rotate", { key_id });
    expect([status, json.code]).toEqual([400, "failed_precondition"]);
  });

  test("within the caller's rights is rotated and enabled", async () => {
    const { tenant, key_id } = await ownersKey(["plans:read"]);
    const { key } = await result(tenant, "developer", "rotate", { key_id });
    expect((await withRoles.call("/api/v1/auth/verify", { scope: "plans:read" }, { "x-api-key": key })).status).toBe(
      200,
    );
    await result(tenant, "developer", "disable", { key_id });
    await result(tenant, "developer", "enable", { key_id });
  });
});

describe("reserved scopes, with a tenant of the operator's,", () => {
  test.each(["system:*", "system:read", "tenants:*", "tenants:write"])(
    "such as %s are never given by another tenant",
    async (scope) => {
      for (const role of ["owner", "admin"]) {
        const answer = await call(newTenant(), role, "create", { name: "a key", permissions: ["plans:read", scope] });
        expect([answer.status, answer.json.denial_reason, answer.json.message]).toEqual([
          403,
          "insufficient_scope",
          `permissions[1]: "${scope}" is reserved for keys of the operator's own tenant; remove it. See /docs/errors#insufficient_scope`,
        ]);
      }
    },
  );

  test("are given within the operator's tenant by those who have them", async () => {
    const body = { name: "a key", permissions: ["system:*"] };
    expect((await call(OPERATOR_TENANT, "ops", "create", body)).json.message).toContain("api_keys:write");
    const { key } = await result(OPERATOR_TENANT, "owner", "create", body);
    const verified = await withRoles.call("/api/v1/auth/verify", { scope: "system:write" }, { "x-api-key": key });
    expect(verified.json.permissions).toEqual(["system:*"]);
  });

  test("are not in the * of another tenant's key", async () => {
    const { tenant, key, key_id } = await ownersKey(["*"]);
    const denied = await withRoles.call("/api/v1/auth/verify", { scope: "system:read" }, { "x-api-key": key });
    expect([denied.status, denied.json.message]).toEqual([
      403,
      "This API key lacks the scope system:read, which is reserved for the operator's own tenant; use a key of that tenant. See /docs/errors#insufficient_scope",
    ]);
    expect((await result(tenant, "owner", "get", { key_id })).permissions).toEqual(["*"]);
  });
});

test("a key that got a reserved scope before a tenant was the operator's shows it, without having it", async () => {
  const { secret, tenant, keyId, stored } = storedSecretKey({ permissions: ["plans:read", "system:read"] });
  const access = accessRules({ operatorTenant: OPERATOR_TENANT });
  const own = await startLatchkey({ config: { access }, storedKeys: [stored] });
  const manage = async (method: string, body: object = {}) =>
    own.call(`${API_KEYS}${method}`, { key_id: keyId, ...body }, await own.dashboard(tenant));

  const verified = await own.call("/api/v1/auth/verify", {}, { "x-api-key": secret });
  expect(verified.json.permissions).toEqual(["plans:read"]);
  const denied = await own.call("/api/v1/auth/verify", { scope: "system:read" }, { "x-api-key": secret });
  expect(denied.json.denial_reason).toBe("insufficient_scope");
  expect((await manage("get")).json.result.permissions).toEqual(["plans:read", "system:read"]);

  for (const [method, body] of [
    ["update", { name: "after", update_mask: "name" }],
    ["rotate", {}],
  ] as const) {
    const { status, json } = await manage(method, body);
    expect([status, json.message]).toEqual([
      403,
      'permissions[1]: "system:read" is reserved for keys of the operator\'s own tenant; remove it. See /docs/errors#insufficient_scope',
    ]);
  }
  const removed = await manage("update", { permissions: ["plans:read"], update_mask: "permissions" });
  expect(removed.json.result.permissions).toEqual(["plans:read"]);
  expect((await manage("update", { name: "after", update_mask: "name" })).status).toBe(200);
  await own.close();
});
