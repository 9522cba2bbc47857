// promise: erasure.tenant, erasure.finishes
import { describe, expect, test } from "vitest";
import { backendOf, gatewayCaller } from "../harness/gateway.ts";
import { dashboardOf, instant, useKey } from "../harness/key-management.ts";
import { policyOf } from "../harness/key-policy.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { newMember, newOrganization } from "../harness/organizations.ts";
import { reasonOf, sharedPublishable } from "../harness/publishable.ts";
import { HOUR } from "../harness/test-clock.ts";

const VERIFY = "/api/v1/auth/verify";
const NONE = {
  ...{ conversations: 0, runs: 0, messages: 0, client_message_ids: 0, members: 0, invitations: 0, client_org_ids: 0 },
  ...{ org_names: 0, keys: 0, key_actors: 0, key_usage: 0, requests: 0, webhooks: 0, webhook_events: 0 },
  ...{ access_tokens: 0, federation_rules: 0 },
};

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);
const erase = (tenant_id: string) => operator.result("tenants/erase", { tenant_id });
const eventsOf = async (target_id: string) =>
  (await operator.answer("audit/list", { target_id, action: "tenant.erased" })).events;

test("all of a tenant is removed, and the response counts it by kind", async () => {
  const founded = await newOrganization(latchkey);
  const { tenant_id } = founded.org;
  const member = await newMember(latchkey, founded, "developer");
  const { bare, as } = await backendOf(latchkey, await latchkey.dashboard(tenant_id));
  await bare.send("c", "of the tenant", { client_message_id: "m1" });
  await as("u1").send("c", "of a user");
  for (const caller of [bare, as("u1")]) expect(await caller.texts("c")).toHaveLength(2);
  const erased = await erase(tenant_id);
  expect(erased).toEqual({
    erasure_id: expect.stringMatching(/^aud_[0-9a-f]{32}$/),
    tenant_id,
    user_id: "",
    finished: true,
    removed: {
      ...NONE,
      ...{ conversations: 2, runs: 2, messages: 4, client_message_ids: 1, members: 2, invitations: 1, org_names: 1 },
      ...{ keys: 1, key_usage: expect.any(Number), requests: expect.any(Number) },
    },
  });
  const { tenants } = await operator.answer("tenants/list", { only_suspended: true, per_page: 100 });
  expect(tenants).toContainEqual({
    tenant_id,
    name: "",
    key_count: 1,
    suspended_at: expect.stringMatching(/Z$/),
    suspension_reason: "erased",
  });
  expect((await member.call("get")).json.denial_reason).toBe("tenant_required");
});

test("the trail has one event, with the erasure's id, how many of each kind there were, and no more", async () => {
  const { tenant, createKey } = dashboardOf(latchkey);
  for (let n = 0; n < 2; n++) await createKey();
  const { erasure_id } = await erase(tenant);
  const all = (await operator.answer("audit/list", { tenant_id: tenant })).events;
  expect(all.map(({ action }: { action: string }) => action)).toEqual([
    "tenant.erased",
    "api_key.created",
    "api_key.created",
  ]);
  expect(all[0]).toMatchObject({
    event_id: erasure_id,
    tenant_id: tenant,
    target_id: tenant,
    changes: { keys: { old: 2, new: 0 } },
    actor: { kind: "operator" },
  });
  expect(Object.keys(all[0].changes)).toEqual(["keys"]);
});

test("erasing again is harmless, and adds no event", async () => {
  const { tenant, createKey } = dashboardOf(latchkey);
  await createKey();
  await erase(tenant);
  expect(await erase(tenant)).toMatchObject({ finished: true, removed: NONE });
  expect(await eventsOf(tenant)).toHaveLength(1);
});

describe("a tenant without a key can be erased if anything else is stored of it:", () => {
  const KINDS: Record<string, (tenant: string) => Promise<unknown>> = {
    "a suspension": (tenant) => operator.result("tenants/suspend", { tenant_id: tenant }),
    "rules for keys": (tenant) => policyOf(latchkey, tenant).set({ max_keys: 5 }),
    "a conversation of a dashboard user": async (tenant) =>
      gatewayCaller(latchkey, await latchkey.dashboard(tenant)).send("c", "text"),
  };

  test.each(Object.entries(KINDS))("%s", async (_, store) => {
    const tenant = newTenant();
    await store(tenant);
    expect(await erase(tenant)).toMatchObject({ tenant_id: tenant, finished: true });
  });

  test("only an organization", async () => {
    const { org } = await newOrganization(latchkey);
    expect(await erase(org.tenant_id)).toMatchObject({ removed: { members: 1, org_names: 1 } });
  });
});

describe("keys of an erased tenant", () => {
  test("are denied by the codes that they had, or as revoked, and are shown without their names", async () => {
    const { tenant, createKey, result } = dashboardOf(latchkey);
    const [active, disabled, revoked] = [await createKey(), await createKey(), await createKey({ name: "of Jo" })];
    const expired = await createKey({ expires_at: instant(latchkey, HOUR) });
    await result("disable", { key_id: disabled.key_id });
    await result("revoke", { key_id: revoked.key_id });
    latchkey.clock.advance(HOUR);
    expect(await useKey(latchkey, active.key)).toBe("admitted");
    await erase(tenant);
    expect(await useKey(latchkey, active.key)).toBe("api_key_revoked");
    expect(await useKey(latchkey, disabled.key)).toBe("api_key_revoked");
    expect(await useKey(latchkey, revoked.key)).toBe("api_key_revoked");
    expect(await useKey(latchkey, expired.key)).toBe("api_key_expired");
    const { keys } = await operator.answer("keys/find", { key_id: revoked.key_id });
    expect(keys).toMatchObject([{ name: "", description: "", permissions: [], status: "KEY_STATUS_REVOKED" }]);
    expect(keys[0].created_by).toBeUndefined();
  });

  test("stay denied by the same codes after the tenant is resumed", async () => {
    const { tenant, createKey } = dashboardOf(latchkey);
    const [active, expired] = [await createKey(), await createKey({ expires_at: instant(latchkey, HOUR) })];
    latchkey.clock.advance(HOUR);
    await erase(tenant);
    await operator.result("tenants/resume", { tenant_id: tenant });
    expect(await useKey(latchkey, active.key)).toBe("api_key_revoked");
    expect(await useKey(latchkey, expired.key)).toBe("api_key_expired");
  });

  test("are denied where they are publishable, too, whatever the user's token", async () => {
    const service = await sharedPublishable();
    const app = await service.newApp();
    expect(reasonOf(await app.verify())).toBe("admitted");
    await operatorOf(service.latchkey).result("tenants/erase", { tenant_id: app.tenant });
    expect(reasonOf(await app.verify())).toBe("api_key_revoked");
  });
});

test("users of an erased tenant are refused as those of a suspended one, and can write nothing", async () => {
  const { tenant, createKey } = dashboardOf(latchkey);
  await createKey();
  await erase(tenant);
  const dashboard = await latchkey.dashboard(tenant);
  for (const [path, body] of [
    [VERIFY, {}],
    ["/api/v1/api-keys/create", { name: "x", permissions: ["plans:read"] }],
  ] as const) {
    expect((await latchkey.call(path, body, dashboard)).json.denial_reason).toBe("tenant_suspended");
  }
});
