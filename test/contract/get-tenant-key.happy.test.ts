// promise: operator.twins
import { expect, test } from "vitest";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

test("the record is the one that the tenant's users have, whatever its status", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey({ metadata: { plan: "pro" }, allowed_ips: ["203.0.113.0/24"] });
  for (const change of ["disable", "revoke"] as const) {
    await dashboard.result(change, { key_id });
    const record = await operator.result("keys/get", { tenant_id: dashboard.tenant, key_id });
    expect(record).toEqual(await dashboard.result("get", { key_id }));
  }
});
