import { expect, test } from "vitest";
import { dashboardOf } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();

test("the list has the keys of the named tenant only, whatever it filters by", async () => {
  const operator = operatorOf(latchkey);
  const dashboard = dashboardOf(latchkey);
  const { key_id, key_prefix } = await dashboard.createKey({ name: "only one", external_id: "customer-7" });
  for (const filter of [
    {},
    { name_prefix: "only" },
    { external_id: "customer-7" },
    { key_prefix },
    { search: key_id },
  ]) {
    const { keys } = await operator.answer("keys/list", { tenant_id: dashboard.tenant, ...filter });
    expect(keys).toMatchObject([{ key_id }]);
    expect((await operator.answer("keys/list", { tenant_id: newTenant(), ...filter })).keys).toEqual([]);
  }
});
