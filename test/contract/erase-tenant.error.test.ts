import { describe, expect, test } from "vitest";
import { expectPrecondition } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { OPERATOR_TENANT, sharedWithRoles } from "../harness/roles.ts";
import { testTenantIdErrors } from "./tenant-id.suite.ts";

const latchkey = await sharedLatchkey();

testTenantIdErrors(latchkey, "tenants/erase");

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
