// promise: operator.twins
import { expect, test } from "vitest";
import { dashboardOf, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

test("a disabled key of any tenant is denied as soon as the call is acknowledged", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  expect(await useKey(latchkey, key)).toBe("admitted");
  const record = await operator.result("keys/disable", { key_id });
  expect(record).toEqual({
    ...(await dashboard.result("get", { key_id })),
    status: "KEY_STATUS_DISABLED",
    tenant_id: dashboard.tenant,
    tenant_suspended: false,
  });
  const answers = await Promise.all(Array.from({ length: 20 }, () => useKey(latchkey, key)));
  expect(new Set(answers)).toEqual(new Set(["api_key_disabled"]));
});

test("disabling twice is 200 and changes nothing", async () => {
  const { key_id } = await dashboardOf(latchkey).createKey();
  const first = await operator.result("keys/disable", { key_id });
  latchkey.clock.advance(HOUR);
  expect(await operator.result("keys/disable", { key_id })).toEqual(first);
});

test("its tenant can enable it again: a suspension is what it cannot undo", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  await operator.result("keys/disable", { key_id });
  await dashboard.result("enable", { key_id });
  expect(await useKey(latchkey, key)).toBe("admitted");
});

test("a publishable key can be disabled", async () => {
  const { key, key_id } = await dashboardOf(latchkey).createKey(PUBLISHABLE);
  await operator.result("keys/disable", { key_id });
  expect(await useKey(latchkey, key)).toBe("api_key_disabled");
});

test("other keys of the tenant keep working", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const other = await dashboard.createKey();
  await operator.result("keys/disable", { key_id });
  expect(await useKey(latchkey, other.key)).toBe("admitted");
});
