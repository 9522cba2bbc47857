// promise: suspension.binds
import { describe, expect, test } from "vitest";
import { expectInvalid, expectPrecondition } from "../harness/error-answers.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { OPERATOR_TENANT, sharedWithRoles } from "../harness/roles.ts";
import { testTenantIdErrors } from "./tenant-id.suite.ts";

const latchkey = await sharedLatchkey();

testTenantIdErrors(latchkey, "tenants/suspend");

test.each([5, true, [], {}, "x".repeat(1_025), "a\0b"])("the reason %.20j is 400", async (reason) => {
  expectInvalid(await operatorOf(latchkey).call("tenants/suspend", { tenant_id: newTenant(), reason }), "reason");
});

describe("the operator's own tenant", () => {
  test("cannot be suspended, by token or by its own user, and keeps working", async () => {
    const withRoles = await sharedWithRoles();
    const owner = await withRoles.user("owner", OPERATOR_TENANT);
    const body = { tenant_id: OPERATOR_TENANT };
    for (const answer of [
      await operatorOf(withRoles).call("tenants/suspend", body),
      await withRoles.call("/api/v1/operator/tenants/suspend", body, owner),
    ]) {
      expectPrecondition(answer, "tenant_id", "operator's own tenant");
    }
    expect((await withRoles.call("/api/v1/operator/tenants/list", {}, owner)).status).toBe(200);
  });
});
