// promise: operator.twins
import { expect, test } from "vitest";
import { dashboardOf, PUBLISHABLE } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

test("the list is the one that the tenant's users have, for each filter, order and page", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey({ name: "one", external_id: "customer-7" });
  await dashboard.createKey({ name: "two", ...PUBLISHABLE });
  await dashboard.createKey({ name: "three" });
  await dashboard.result("revoke", { key_id });
  for (const filter of [
    {},
    { page: 2, per_page: 1 },
    { status: "KEY_STATUS_REVOKED" },
    { keyType: "KEY_TYPE_PUBLISHABLE" },
    { external_id: "customer-7" },
    { search: "t", sort: "last_used_at" },
  ]) {
    const own = await dashboard.call("list", filter);
    expect(own.json.keys.length).toBeGreaterThan(0);
    expect(await operator.answer("keys/list", { tenant_id: dashboard.tenant, ...filter })).toEqual(own.json);
  }
});
