// promise: keys.record
import { expect, test } from "vitest";
import { dashboardOf, instant, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();

test("an enabled key is usable again, however often it was disabled", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  for (let round = 0; round < 3; round++) {
    await dashboard.result("disable", { key_id });
    expect(await useKey(latchkey, key)).toBe("api_key_disabled");
    expect(await dashboard.result("enable", { key_id })).toMatchObject({ key_id, status: "KEY_STATUS_ACTIVE" });
    expect(await useKey(latchkey, key)).toBe("admitted");
  }
});

test("only updated_at differs from the record before the key was disabled", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey({ ...PUBLISHABLE, expires_at: instant(latchkey, HOUR) });
  const before = await dashboard.result("get", { key_id });
  await dashboard.result("disable", { key_id });
  const enabled = await dashboard.result("enable", { key_id });
  expect(enabled).toEqual({ ...before, updated_at: enabled.updated_at });
});

test("enabling an enabled key changes nothing", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const created = await dashboard.result("get", { key_id });
  latchkey.clock.advance(HOUR);
  expect(await dashboard.result("enable", { key_id })).toEqual(created);
});

test("a key that was disabled after it expired is expired when it is enabled", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
  latchkey.clock.advance(HOUR);
  await dashboard.result("disable", { key_id });
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
