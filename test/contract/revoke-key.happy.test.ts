// promise: operator.twins
import { expect, test } from "vitest";
import { dashboardOf, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

test("a revoked key of any tenant is denied as soon as the call is acknowledged", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  expect(await useKey(latchkey, key)).toBe("admitted");
  const record = await operator.result("keys/revoke", { key_id });
  expect(record).toEqual({
    ...(await dashboard.result("get", { key_id })),
    status: "KEY_STATUS_REVOKED",
    revoked_at: record.updated_at,
    tenant_id: dashboard.tenant,
    tenant_suspended: false,
  });
  const answers = await Promise.all(Array.from({ length: 20 }, () => useKey(latchkey, key)));
  expect(new Set(answers)).toEqual(new Set(["api_key_revoked"]));
});

test("revoking twice is 200 with the first revoked_at, from any caller", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const { revoked_at } = await dashboard.result("revoke", { key_id });
  latchkey.clock.advance(HOUR);
  for (let time = 0; time < 2; time++) {
    expect((await operator.result("keys/revoke", { key_id })).revoked_at).toBe(revoked_at);
  }
});

test("a publishable key can be revoked, and a disabled one", async () => {
  const dashboard = dashboardOf(latchkey);
  for (const fields of [PUBLISHABLE, {}]) {
    const { key, key_id } = await dashboard.createKey(fields);
    await dashboard.result("disable", { key_id });
    expect((await operator.result("keys/revoke", { key_id })).status).toBe("KEY_STATUS_REVOKED");
    expect(await useKey(latchkey, key)).toBe("api_key_revoked");
  }
});

test("a key found by its own value can be revoked: the way to stop one that has leaked", async () => {
  const { key } = await dashboardOf(latchkey).createKey();
  const { keys } = await operator.answer("keys/find", { key });
  await operator.result("keys/revoke", { key_id: keys[0].key_id });
  expect(await useKey(latchkey, key)).toBe("api_key_revoked");
});
