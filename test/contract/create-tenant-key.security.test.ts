// promise: scopes.reserved, operator.callers, operator.first-key
import { describe, expect, test } from "vitest";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { OPERATOR, operatorOf } from "../harness/operator.ts";
import { OPERATOR_TENANT, sharedWithRoles } from "../harness/roles.ts";

const CREATE = "/api/v1/operator/keys/create";
const VERIFY = "/api/v1/auth/verify";

const latchkey = await sharedLatchkey();
const withRoles = await sharedWithRoles();

const body = (permissions: string[], tenant_id = newTenant()) => ({ tenant_id, name: "a key", permissions });

test("the answer is never stored, and the key is in no log line", async () => {
  const answer = await latchkey.call(CREATE, body(["plans:read"]), OPERATOR);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(latchkey.logLines.join("")).not.toContain(answer.json.result.key.slice(12, -4));
});

describe("with a tenant of the operator's, reserved scopes", () => {
  const RESERVED = ["system:read", "system:*", "tenants:write", "tenants:*"];

  test.each(RESERVED)("such as %s are not given to a key of another tenant, by token or by user", async (scope) => {
    for (const headers of [OPERATOR, await withRoles.user("owner", OPERATOR_TENANT)]) {
      const { status, json } = await withRoles.call(CREATE, body(["plans:read", scope]), headers);
      expect([status, json.denial_reason]).toEqual([403, "insufficient_scope"]);
      expect(json.message).toBe(
        `permissions[1]: "${scope}" is reserved for keys of the operator's own tenant; remove it. See /docs/errors#insufficient_scope`,
      );
    }
  });

  test.each(RESERVED)("such as %s are given to a key of the operator's tenant", async (scope) => {
    for (const headers of [OPERATOR, await withRoles.user("owner", OPERATOR_TENANT)]) {
      expect((await withRoles.call(CREATE, body([scope], OPERATOR_TENANT), headers)).status).toBe(200);
    }
  });

  test("are in * of a key of the operator's tenant, and not in * of any other key", async () => {
    for (const [tenant, status] of [
      [OPERATOR_TENANT, 200],
      [newTenant(), 403],
    ] as const) {
      const { result } = await operatorOf(withRoles).answer("keys/create", body(["*"], tenant));
      for (const scope of ["system:write", "tenants:read"]) {
        const answer = await withRoles.call(VERIFY, { scope }, { "x-api-key": result.key });
        expect([tenant, scope, answer.status]).toEqual([tenant, scope, status]);
      }
    }
  });
});

test("without a tenant of the operator's, * and reserved scopes are given to any key, as the specification says", async () => {
  for (const permissions of [["*"], ["system:*", "tenants:read"]]) {
    const { result } = await operatorOf(latchkey).answer("keys/create", body(permissions));
    const { status } = await latchkey.call(VERIFY, { scope: "system:write" }, { "x-api-key": result.key });
    expect(status).toBe(200);
  }
});

describe("a user of the operator's tenant with system:* and nothing else", () => {
  test("gives keys no other scope, and the message names the roles that could", async () => {
    const ops = await withRoles.user("ops", OPERATOR_TENANT);
    const { status, json } = await withRoles.call(CREATE, body(["plans:read"]), ops);
    expect([status, json.denial_reason, json.message]).toEqual([
      403,
      "insufficient_scope",
      'permissions[0]: you cannot give a key the scope "plans:read", which you do not have; remove it, or ask a user with one of the roles owner, admin, developer, viewer. See /docs/errors#insufficient_scope',
    ]);
  });

  test("gives keys of the operator's tenant system:*", async () => {
    const ops = await withRoles.user("ops", OPERATOR_TENANT);
    expect((await withRoles.call(CREATE, body(["system:*"], OPERATOR_TENANT), ops)).status).toBe(200);
    expect((await withRoles.call(CREATE, body(["*"], OPERATOR_TENANT), ops)).status).toBe(403);
  });
});

test("a refused key is not created", async () => {
  const tenant = newTenant();
  expect((await withRoles.call(CREATE, body(["system:*"], tenant), OPERATOR)).status).toBe(403);
  const { json } = await withRoles.call("/api/v1/api-keys/list", {}, await withRoles.user("owner", tenant));
  expect(json.pagination.total).toBe(0);
});
