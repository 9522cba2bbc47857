// promise: suspension.denies, suspension.binds
import { expect, test } from "vitest";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { reasonOf } from "../harness/publishable.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

test("the keys and users of a resumed tenant are admitted as soon as the call is acknowledged", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key } = await dashboard.createKey();
  await operator.result("tenants/suspend", { tenant_id: dashboard.tenant, reason: "unpaid" });
  expect(await useKey(latchkey, key)).toBe("api_key_disabled");
  expect(reasonOf(await dashboard.call("list", {}))).toBe("tenant_suspended");
  expect(await operator.result("tenants/resume", { tenant_id: dashboard.tenant })).toEqual({
    tenant_id: dashboard.tenant,
    name: "",
    key_count: 1,
    suspension_reason: "",
  });
  const answers = await Promise.all(Array.from({ length: 20 }, () => useKey(latchkey, key)));
  expect(new Set(answers)).toEqual(new Set(["admitted"]));
  expect(reasonOf(await dashboard.call("list", {}))).toBe("admitted");
});

test("a tenant that is not suspended is resumed without harm, known or not", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key } = await dashboard.createKey();
  for (const tenant_id of [dashboard.tenant, newTenant()]) {
    const tenant = await operator.result("tenants/resume", { tenant_id });
    expect(tenant).toMatchObject({ tenant_id });
    expect(tenant).not.toHaveProperty("suspended_at");
  }
  expect(await useKey(latchkey, key)).toBe("admitted");
});

test("a tenant that is suspended again has the second reason", async () => {
  const tenant_id = newTenant();
  await operator.result("tenants/suspend", { tenant_id, reason: "first" });
  await operator.result("tenants/resume", { tenant_id });
  expect(await operator.result("tenants/suspend", { tenant_id, reason: "second" })).toMatchObject({
    suspension_reason: "second",
  });
});

test("what is suspended and resumed in turns ends as the last call says, at every turn", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key } = await dashboard.createKey();
  for (let turn = 0; turn < 10; turn++) {
    await operator.result("tenants/suspend", { tenant_id: dashboard.tenant });
    expect(await useKey(latchkey, key)).toBe("api_key_disabled");
    await operator.result("tenants/resume", { tenant_id: dashboard.tenant });
    expect(await useKey(latchkey, key)).toBe("admitted");
  }
});
