import { expect, test } from "vitest";
import { dashboardOf, instant, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();

test("a disabled key is unusable from the answer on, an enabled one usable again, as often as one likes", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  for (let round = 0; round < 3; round++) {
    expect(await dashboard.result("disable", { key_id })).toMatchObject({ key_id, status: "KEY_STATUS_DISABLED" });
    expect(await useKey(latchkey, key)).toBe("api_key_disabled");
    expect(await dashboard.result("enable", { key_id })).toMatchObject({ key_id, status: "KEY_STATUS_ACTIVE" });
    expect(await useKey(latchkey, key)).toBe("admitted");
  }
});

test("only status and updated_at change", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey({ ...PUBLISHABLE, expires_at: instant(latchkey, HOUR) });
  const before = await dashboard.result("get", { key_id });
  const disabled = await dashboard.result("disable", { key_id });
  expect(disabled).toEqual({ ...before, status: "KEY_STATUS_DISABLED", updated_at: disabled.updated_at });
  expect(await dashboard.result("get", { key_id })).toEqual(disabled);
  const enabled = await dashboard.result("enable", { key_id });
  expect(enabled).toEqual({ ...before, updated_at: enabled.updated_at });
});

test("disabling a disabled key and enabling an enabled one change nothing", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const created = await dashboard.result("get", { key_id });
  latchkey.clock.advance(HOUR);
  expect(await dashboard.result("enable", { key_id })).toEqual(created);
  const disabled = await dashboard.result("disable", { key_id });
  latchkey.clock.advance(HOUR);
  expect(await dashboard.result("disable", { key_id })).toEqual(disabled);
});

test("an expired key that is disabled says disabled; enabled, it is expired still", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
  latchkey.clock.advance(HOUR);
  await dashboard.result("disable", { key_id });
  expect(await useKey(latchkey, key)).toBe("api_key_disabled");
  expect((await dashboard.result("enable", { key_id })).status).toBe("KEY_STATUS_EXPIRED");
  expect(await useKey(latchkey, key)).toBe("api_key_expired");
});

test("a key expires while it is disabled", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
  await dashboard.result("disable", { key_id });
  latchkey.clock.advance(HOUR);
  await dashboard.result("enable", { key_id });
  expect(await useKey(latchkey, key)).toBe("api_key_expired");
});

test("disabling the old key of a rotation leaves its successor alone", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  const successor = await dashboard.result("rotate", { key_id });
  await dashboard.result("disable", { key_id });
  expect(await useKey(latchkey, key)).toBe("api_key_disabled");
  expect(await useKey(latchkey, successor.key)).toBe("admitted");
});

test("a disabled publishable key says so before anything about its user's token", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey(PUBLISHABLE);
  await dashboard.result("disable", { key_id });
  expect(await useKey(latchkey, key)).toBe("api_key_disabled");
});
