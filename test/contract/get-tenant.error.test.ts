// promise: operator.tenants
import { expect, test } from "vitest";
import { expectNotFound } from "../harness/error-answers.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { testTenantIdErrors } from "./tenant-id.suite.ts";

const latchkey = await sharedLatchkey();

testTenantIdErrors(latchkey, "tenants/get");

test("a tenant of users' tokens only is 404", async () => {
  const tenant = newTenant();
  await latchkey.call("/api/v1/api-keys/list", {}, await latchkey.dashboard(tenant));
  const answer = await operatorOf(latchkey).call("tenants/get", { tenant_id: tenant });
  expectNotFound(answer);
  expect(answer.json.reason).toBe("tenant_not_found");
});
