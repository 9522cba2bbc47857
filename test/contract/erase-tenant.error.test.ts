// promise: erasure.tenant
import { describe, expect, test } from "vitest";
import { expectPrecondition } from "../harness/error-answers.ts";
import { useKey } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { OPERATOR_TENANT, sharedWithRoles } from "../harness/roles.ts";
import { testTenantIdErrors } from "./tenant-id.suite.ts";

const latchkey = await sharedLatchkey();

testTenantIdErrors(latchkey, "tenants/erase");

test("a tenant of which nothing is stored is 404, and neither suspended nor recorded: its id may be mistyped", async () => {
  const operator = operatorOf(latchkey);
  const tenant = newTenant();
  const user = await latchkey.dashboard(tenant);
  expect((await latchkey.call("/api/v1/api-keys/list", {}, user)).status).toBe(200);
  const answer = await operator.call("tenants/erase", { tenant_id: tenant });
  expect({ status: answer.status, ...answer.json }).toMatchObject({ status: 404, code: "not_found" });
  expect(answer.json.message).toMatch(/^tenant_id: /);
  expect((await operator.answer("audit/list", { tenant_id: tenant })).events).toEqual([]);
  expect((await latchkey.call("/api/v1/api-keys/list", {}, user)).status).toBe(200);
  const { key } = await operator.result("keys/create", {
    tenant_id: tenant,
    name: "a key",
    permissions: ["conversations:*"],
  });
  expect(await useKey(latchkey, key)).toBe("admitted");
});

describe("the operator's own tenant", () => {
  test("cannot be erased, by token or by its own user, and keeps working", async () => {
    const withRoles = await sharedWithRoles();
    const owner = await withRoles.user("owner", OPERATOR_TENANT);
    const body = { tenant_id: OPERATOR_TENANT };
    for (const answer of [
      await operatorOf(withRoles).call("tenants/erase", body),
      await withRoles.call("/api/v1/operator/tenants/erase", body, owner),
    ]) {
      expectPrecondition(answer, "tenant_id", "operator's own tenant");
    }
    expect((await withRoles.call("/api/v1/operator/tenants/list", {}, owner)).status).toBe(200);
  });
});
