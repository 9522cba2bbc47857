// promise: rules.checked, rules.older, rules.audited
import { describe, expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { dashboardOf, instant, useKey } from "../harness/key-management.ts";
import { policyOf } from "../harness/key-policy.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const HOUR = 3_600_000;
const UNLIMITED = { requests_per_minute: 0, requests_per_hour: 0, burst_size: 0 };
const latchkey = await sharedLatchkey();

test("rules are replaced as a whole: what the request lacks is lifted", async () => {
  const policy = policyOf(latchkey);
  const first = { max_lifetime_hours: 24, permissions: ["plans:read", "plans:*", "plans:read"], max_keys: 5 };
  expect(await policy.set(first)).toEqual({
    max_lifetime_hours: 24,
    expiry_required: false,
    max_rate_limit: UNLIMITED,
    permissions: ["plans:read", "plans:*"],
    allowed_ips_required: false,
    max_keys: 5,
  });
  const second = { expiry_required: true, allowed_ips_required: true, max_rate_limit: { requests_per_hour: 9 } };
  const rules = {
    max_lifetime_hours: 0,
    expiry_required: true,
    max_rate_limit: { ...UNLIMITED, requests_per_hour: 9 },
    permissions: [],
    allowed_ips_required: true,
    max_keys: 10_000,
  };
  expect(await policy.set(second)).toEqual(rules);
  expect(await policy.get()).toEqual(rules);
});

test("what get returns can be set again, and changes nothing", async () => {
  const policy = policyOf(latchkey);
  await policy.set({ max_lifetime_hours: 24 });
  expect(await policy.set(await policy.get())).toEqual(await policy.get());
});

test("a change is in the audit trail, with the tenant as its target; setting the same again is not", async () => {
  const policy = policyOf(latchkey);
  await policy.set({ max_keys: 7, expiry_required: true });
  await policy.set({ max_keys: 7, expiry_required: true });
  const events = await eventsOf(latchkey, policy.tenant, { action: "api_key.policy_set" });
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    target_id: policy.tenant,
    actor: { kind: "dashboard_user" },
    changes: { max_keys: { old: 0, new: 7 }, expiry_required: { old: false, new: true } },
  });
});

test("keys that go beyond a younger rule keep working, and can be renamed, disabled and revoked", async () => {
  const policy = policyOf(latchkey);
  const dashboard = dashboardOf(latchkey, policy.tenant);
  const { key, key_id } = await dashboard.createKey();
  await policy.set({
    max_lifetime_hours: 1,
    permissions: ["plans:read"],
    max_keys: 1,
    max_rate_limit: { burst_size: 1 },
  });
  expect(await useKey(latchkey, key)).toBe("admitted");
  await dashboard.result("update", { key_id, name: "renamed", description: "", update_mask: "name,description" });
  await dashboard.result("enable", { key_id });
  await dashboard.result("disable", { key_id });
  await dashboard.result("revoke", { key_id });
});

describe("within the rules", () => {
  test("keys are created, updated, rotated and enabled", async () => {
    const policy = policyOf(latchkey);
    const dashboard = dashboardOf(latchkey, policy.tenant);
    await policy.set({
      max_lifetime_hours: 2,
      max_rate_limit: { requests_per_minute: 60, burst_size: 10 },
      permissions: ["plans:*", "conversations:read"],
      max_keys: 2,
    });
    const rate_limit = { requests_per_minute: 60, burst_size: 10 };
    const permissions = ["plans:*", "plans:read", "conversations:read"];
    const expires_at = instant(latchkey, 2 * HOUR - 60_000);
    const { key_id } = await dashboard.createKey({ permissions, rate_limit, expires_at });
    await dashboard.result("update", { key_id, permissions: ["plans:write"], update_mask: "permissions" });
    await dashboard.result("update", { key_id, rate_limit: { requests_per_minute: 10 }, update_mask: "rate_limit" });
    await dashboard.result("disable", { key_id });
    await dashboard.result("enable", { key_id });
    const successor = await dashboard.result("rotate", { key_id });
    await dashboard.result("rotate", { key_id: successor.key_id, grace_period_hours: 0 });
  });

  test("revoked and expired keys leave room for new ones", async () => {
    const policy = policyOf(latchkey);
    const dashboard = dashboardOf(latchkey, policy.tenant);
    await policy.set({ max_keys: 2 });
    const { key_id } = await dashboard.createKey();
    await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
    expect((await dashboard.call("create", { name: "third", permissions: ["plans:read"] })).status).toBe(400);
    await dashboard.result("revoke", { key_id });
    await dashboard.createKey();
    latchkey.clock.advance(HOUR);
    await dashboard.createKey();
  });
});
