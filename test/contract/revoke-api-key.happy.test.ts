// promise: keys.revoked
import { describe, expect, test } from "vitest";
import { dashboardOf, instant, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();

test("a revoked key is denied as soon as the call is acknowledged", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  expect(await useKey(latchkey, key)).toBe("admitted");
  const record = await dashboard.result("revoke", { key_id });
  expect(record).toMatchObject({ key_id, status: "KEY_STATUS_REVOKED" });
  expect(record.revoked_at).toBe(record.updated_at);
  const answers = await Promise.all(Array.from({ length: 20 }, () => useKey(latchkey, key)));
  expect(new Set(answers)).toEqual(new Set(["api_key_revoked"]));
});

test("only status, revoked_at, revoked_by and updated_at change", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey({ description: "kept", expires_at: instant(latchkey, HOUR) });
  const before = await dashboard.result("get", { key_id });
  const { revoked_at, revoked_by, updated_at, ...after } = await dashboard.result("revoke", { key_id });
  expect({ ...after, updated_at: before.updated_at }).toEqual({ ...before, status: "KEY_STATUS_REVOKED" });
  expect(await dashboard.result("get", { key_id })).toEqual({ ...after, revoked_at, revoked_by, updated_at });
});

// threat: R3
test("revoking twice is 200 with the first revoked_at", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const first = await dashboard.result("revoke", { key_id });
  latchkey.clock.advance(HOUR);
  expect(await dashboard.result("revoke", { key_id })).toEqual(first);
});

test("concurrent revocations all return the same revoked_at", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const records = await Promise.all(Array.from({ length: 20 }, () => dashboard.result("revoke", { key_id })));
  expect(new Set(records.map(({ revoked_at }) => revoked_at)).size).toBe(1);
});

describe("any key can be revoked", () => {
  test("a publishable one", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey(PUBLISHABLE);
    await dashboard.result("revoke", { key_id });
    expect(await useKey(latchkey, key)).toBe("api_key_revoked");
  });

  test("a disabled one", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    await dashboard.result("disable", { key_id });
    expect((await dashboard.result("revoke", { key_id })).status).toBe("KEY_STATUS_REVOKED");
    expect(await useKey(latchkey, key)).toBe("api_key_revoked");
  });

  // threat: R3
  test("an expired one", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
    latchkey.clock.advance(HOUR);
    expect((await dashboard.result("revoke", { key_id })).status).toBe("KEY_STATUS_REVOKED");
    expect(await useKey(latchkey, key)).toBe("api_key_revoked");
  });

  // threat: R15
  test("a rotated one, whose successor keeps working", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    const successor = await dashboard.result("rotate", { key_id });
    const record = await dashboard.result("revoke", { key_id });
    expect(record).toMatchObject({ status: "KEY_STATUS_REVOKED", rotated_to: successor.key_id });
    expect(await useKey(latchkey, key)).toBe("api_key_revoked");
    expect(await useKey(latchkey, successor.key)).toBe("admitted");
  });

  test("a successor, whose predecessor keeps its grace period", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    const successor = await dashboard.result("rotate", { key_id });
    await dashboard.result("revoke", { key_id: successor.key_id });
    expect(await useKey(latchkey, successor.key)).toBe("api_key_revoked");
    expect(await useKey(latchkey, key)).toBe("admitted");
  });
});
