// promise: rotation.budget, rotation.grace
import { describe, expect, test } from "vitest";
import { dashboardOf, instant, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR, SECOND } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();

/** Rotates a new key, and returns the whole hours until the old one expires. */
async function hoursLeft(body: object, fields: Record<string, unknown> = {}): Promise<number> {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey(fields);
  const before = latchkey.clock.now().getTime();
  await dashboard.result("rotate", { key_id, ...body });
  const elapsed = latchkey.clock.now().getTime() - before;
  const left = Date.parse((await dashboard.result("get", { key_id })).expires_at) - before;
  expect(left % HOUR).toBeLessThanOrEqual(elapsed);
  return Math.floor(left / HOUR);
}

describe("the successor", () => {
  test("has its own value and works at once, beside the old key", async () => {
    const dashboard = dashboardOf(latchkey);
    const old = await dashboard.createKey();
    const successor = await dashboard.result("rotate", { key_id: old.key_id });
    expect(Object.keys(successor).sort()).toEqual(["key", "key_id", "key_prefix"]);
    expect(successor.key).toMatch(/^sk_[0-9A-Za-z]{36}$/);
    expect(successor.key).not.toBe(old.key);
    expect(successor.key_id).not.toBe(old.key_id);
    expect(successor.key_prefix).toBe(successor.key.slice(0, 12));
    expect(await useKey(latchkey, successor.key)).toBe("admitted");
    expect(await useKey(latchkey, old.key)).toBe("admitted");
  });

  test("has the same name, description, permissions, limits and expiry, and each key names the other", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey({
      name: "kept",
      description: "kept",
      permissions: ["conversations:read", "plans:*"],
      rate_limit: { requests_per_minute: 1, requests_per_hour: 2, burst_size: 3 },
      expires_at: instant(latchkey, 1_000 * HOUR),
    });
    const before = await dashboard.result("get", { key_id });
    const successor = await dashboard.result("rotate", { key_id });
    const after = await dashboard.result("get", { key_id });
    const made = await dashboard.result("get", { key_id: successor.key_id });
    expect(made).toEqual({
      ...before,
      key_id: successor.key_id,
      key_prefix: successor.key_prefix,
      created_at: made.created_at,
      updated_at: made.created_at,
      rotated_from: key_id,
    });
    expect(after).toEqual({
      ...before,
      expires_at: after.expires_at,
      updated_at: after.updated_at,
      rotated_to: successor.key_id,
    });
  });

  test("of a key that never expires never expires", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    const successor = await dashboard.result("rotate", { key_id });
    expect(await dashboard.result("get", { key_id: successor.key_id })).not.toHaveProperty("expires_at");
  });

  test("copies the key's current record, not the one it was created with", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey({ permissions: ["*"] });
    await dashboard.result("update", { key_id, permissions: ["plans:read"], update_mask: "permissions" });
    const successor = await dashboard.result("rotate", { key_id });
    expect(await useKey(latchkey, successor.key)).toBe("insufficient_scope");
  });

  test("can be rotated, too", async () => {
    const dashboard = dashboardOf(latchkey);
    const first = await dashboard.createKey();
    const second = await dashboard.result("rotate", { key_id: first.key_id });
    const third = await dashboard.result("rotate", { key_id: second.key_id, grace_period_hours: 0 });
    expect(await dashboard.result("get", { key_id: second.key_id })).toMatchObject({
      rotated_from: first.key_id,
      rotated_to: third.key_id,
      status: "KEY_STATUS_EXPIRED",
    });
    expect(await useKey(latchkey, third.key)).toBe("admitted");
  });

  test("is listed first", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    const successor = await dashboard.result("rotate", { key_id });
    const { keys, pagination } = (await dashboard.call("list", {})).json;
    expect(keys.map((record: { key_id: string }) => record.key_id)).toEqual([successor.key_id, key_id]);
    expect(pagination.total).toBe(2);
  });
});

describe("the grace period", () => {
  // threat: R8
  test.each([
    [{}, 24],
    [{ grace_period_hours: null }, 24],
    [{ grace_period_hours: 0 }, 0],
    [{ grace_period_hours: 1 }, 1],
    [{ grace_period_hours: "12" }, 12],
    [{ grace_period_hours: 720 }, 720],
  ])("%j gives the old key %d hours", async (body, hours) => {
    expect(await hoursLeft(body)).toBe(hours);
  });

  // threat: R11
  test("of 0 ends the old key at once", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    const successor = await dashboard.result("rotate", { key_id, grace_period_hours: 0 });
    expect(await useKey(latchkey, key)).toBe("api_key_expired");
    expect((await dashboard.result("get", { key_id })).status).toBe("KEY_STATUS_EXPIRED");
    expect(await useKey(latchkey, successor.key)).toBe("admitted");
  });

  test("ends the old key, and not the successor", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    const successor = await dashboard.result("rotate", { key_id, grace_period_hours: 1 });
    latchkey.clock.advance(HOUR - 10 * SECOND);
    expect(await useKey(latchkey, key)).toBe("admitted");
    latchkey.clock.advance(10 * SECOND);
    expect(await useKey(latchkey, key)).toBe("api_key_expired");
    expect(await useKey(latchkey, successor.key)).toBe("admitted");
  });

  // threat: R9
  test("does not extend the old key's own expiry, which the successor keeps", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
    const before = await dashboard.result("get", { key_id });
    const successor = await dashboard.result("rotate", { key_id, grace_period_hours: 24 });
    expect((await dashboard.result("get", { key_id })).expires_at).toBe(before.expires_at);
    expect((await dashboard.result("get", { key_id: successor.key_id })).expires_at).toBe(before.expires_at);
  });

  test("shortens a later expiry", async () => {
    expect(await hoursLeft({ grace_period_hours: 2 }, { expires_at: instant(latchkey, 100 * HOUR) })).toBe(2);
  });
});
