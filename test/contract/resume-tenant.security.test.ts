import { expect, test } from "vitest";
import { newTenant } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { sharedWithRoles } from "../harness/roles.ts";

const RESUME = "/api/v1/operator/tenants/resume";

const withRoles = await sharedWithRoles();

test("a suspended tenant cannot resume itself, by any of its callers", async () => {
  const tenant = newTenant();
  const owner = await withRoles.user("owner", tenant);
  const { key } = await withRoles.createKey(owner, { permissions: ["*"] });
  await operatorOf(withRoles).result("tenants/suspend", { tenant_id: tenant });
  const outcomes = [];
  for (const headers of [owner, { "x-api-key": key }, {}]) {
    outcomes.push((await withRoles.call(RESUME, { tenant_id: tenant }, headers)).json.denial_reason);
  }
  expect(outcomes).toEqual(["tenant_suspended", "api_key_disabled", "missing_credentials"]);
  const { tenants } = await operatorOf(withRoles).answer("tenants/list", { only_suspended: true, per_page: 100 });
  expect(tenants.map(({ tenant_id }: { tenant_id: string }) => tenant_id)).toContain(tenant);
});
