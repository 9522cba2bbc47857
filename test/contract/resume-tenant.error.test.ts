// promise: suspension.binds
import { test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { testTenantIdErrors } from "./tenant-id.suite.ts";

const latchkey = await sharedLatchkey();

testTenantIdErrors(latchkey, "tenants/resume");

test("a reason is only for suspensions", async () => {
  expectInvalid(await operatorOf(latchkey).call("tenants/resume", { tenant_id: newTenant(), reason: "x" }), "reason");
});
