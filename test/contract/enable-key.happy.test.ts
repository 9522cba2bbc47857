// promise: operator.twins
import { expect, test } from "vitest";
import { dashboardOf, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

test("an enabled key of any tenant is admitted as soon as the call is acknowledged", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  await dashboard.result("disable", { key_id });
  expect(await useKey(latchkey, key)).toBe("api_key_disabled");
  const record = await operator.result("keys/enable", { key_id });
  expect(record).toEqual({
    ...(await dashboard.result("get", { key_id })),
    last_used_at: record.last_used_at,
    status: "KEY_STATUS_ACTIVE",
    tenant_id: dashboard.tenant,
    tenant_suspended: false,
  });
  const answers = await Promise.all(Array.from({ length: 20 }, () => useKey(latchkey, key)));
  expect(new Set(answers)).toEqual(new Set(["admitted"]));
});

test("enabling twice is 200 and changes nothing", async () => {
  const { key_id } = await dashboardOf(latchkey).createKey();
  await operator.result("keys/disable", { key_id });
  const first = await operator.result("keys/enable", { key_id });
  latchkey.clock.advance(HOUR);
  expect(await operator.result("keys/enable", { key_id })).toEqual(first);
});

test("a publishable key can be enabled", async () => {
  const { key, key_id } = await dashboardOf(latchkey).createKey(PUBLISHABLE);
  await operator.result("keys/disable", { key_id });
  await operator.result("keys/enable", { key_id });
  expect(await useKey(latchkey, key)).toBe("publishable_key_requires_jwt");
});

test("a key of a suspended tenant is enabled, and denied until the tenant is resumed", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  await operator.result("keys/disable", { key_id });
  await operator.result("tenants/suspend", { tenant_id: dashboard.tenant });
  expect(await operator.result("keys/enable", { key_id })).toMatchObject({
    status: "KEY_STATUS_ACTIVE",
    tenant_suspended: true,
  });
  expect(await useKey(latchkey, key)).toBe("api_key_disabled");
  await operator.result("tenants/resume", { tenant_id: dashboard.tenant });
  expect(await useKey(latchkey, key)).toBe("admitted");
});
