// promise: keys.record
import { expect, test } from "vitest";
import { dashboardOf, instant, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();

test("a disabled key is denied as soon as the call is acknowledged", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  expect(await useKey(latchkey, key)).toBe("admitted");
  expect(await dashboard.result("disable", { key_id })).toMatchObject({ key_id, status: "KEY_STATUS_DISABLED" });
  expect(await useKey(latchkey, key)).toBe("api_key_disabled");
});

test("only status and updated_at change", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey({ ...PUBLISHABLE, expires_at: instant(latchkey, HOUR) });
  const before = await dashboard.result("get", { key_id });
  const disabled = await dashboard.result("disable", { key_id });
  expect(disabled).toEqual({ ...before, status: "KEY_STATUS_DISABLED", updated_at: disabled.updated_at });
  expect(await dashboard.result("get", { key_id })).toEqual(disabled);
});

test("disabling a disabled key changes nothing", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const disabled = await dashboard.result("disable", { key_id });
  latchkey.clock.advance(HOUR);
  expect(await dashboard.result("disable", { key_id })).toEqual(disabled);
});

test("a key that is disabled and expired is reported as disabled", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
  latchkey.clock.advance(HOUR);
  await dashboard.result("disable", { key_id });
  expect(await useKey(latchkey, key)).toBe("api_key_disabled");
});

test("disabling the old key of a rotation does not disable its successor", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  const successor = await dashboard.result("rotate", { key_id });
  await dashboard.result("disable", { key_id });
  expect(await useKey(latchkey, key)).toBe("api_key_disabled");
  expect(await useKey(latchkey, successor.key)).toBe("admitted");
});

test("a disabled publishable key is denied as disabled before its user's token is checked", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey(PUBLISHABLE);
  await dashboard.result("disable", { key_id });
  expect(await useKey(latchkey, key)).toBe("api_key_disabled");
});
