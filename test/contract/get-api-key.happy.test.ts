// promise: keys.states
import { expect, test } from "vitest";
import { dashboardOf, instant } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();

test("get and list return the same record", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const { json } = await dashboard.call("list", {});
  expect(await dashboard.result("get", { key_id })).toEqual(json.keys[0]);
});

test("every user of the tenant sees the tenant's keys", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const token = await latchkey.dashboardToken({ tenant_id: dashboard.tenant, sub: "a colleague" });
  const answer = await latchkey.call("/api/v1/api-keys/get", { key_id }, { authorization: `Bearer ${token}` });
  expect(answer.json.result.key_id).toBe(key_id);
});

test("the current status is reported: revoked before disabled before expired before active", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
  const status = async () => (await dashboard.result("get", { key_id })).status;
  expect(await status()).toBe("KEY_STATUS_ACTIVE");
  await dashboard.result("disable", { key_id });
  expect(await status()).toBe("KEY_STATUS_DISABLED");
  latchkey.clock.advance(HOUR);
  expect(await status()).toBe("KEY_STATUS_DISABLED");
  await dashboard.result("enable", { key_id });
  expect(await status()).toBe("KEY_STATUS_EXPIRED");
  await dashboard.result("disable", { key_id });
  await dashboard.result("revoke", { key_id });
  expect(await status()).toBe("KEY_STATUS_REVOKED");
});

test("reading changes nothing, not even updated_at", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const first = await dashboard.result("get", { key_id });
  latchkey.clock.advance(HOUR);
  expect(await dashboard.result("get", { key_id })).toEqual(first);
});
