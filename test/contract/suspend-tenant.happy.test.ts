// promise: suspension.denies, suspension.binds
import { describe, expect, test } from "vitest";
import { dashboardOf, instant, useKey } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { reasonOf, sharedPublishable } from "../harness/publishable.ts";
import { HOUR } from "../harness/test-clock.ts";

const VERIFY = "/api/v1/auth/verify";
const SUSPENDED =
  "The tenant of this API key is suspended, and so are all of its keys; have the operator of this service resume it. See /docs/errors#api_key_disabled";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

const suspend = (tenant_id: string, fields: object = {}) =>
  operator.result("tenants/suspend", { tenant_id, ...fields });

describe("keys of a suspended tenant", () => {
  test("are denied as soon as the call is acknowledged, and the message says why", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key } = await dashboard.createKey();
    expect(await useKey(latchkey, key)).toBe("admitted");
    await suspend(dashboard.tenant);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => latchkey.call("/api/v1/llm/gateway/list-threads", {}, { "x-api-key": key })),
    );
    for (const { status, json } of answers) {
      expect([status, json.denial_reason, json.message]).toEqual([401, "api_key_disabled", SUSPENDED]);
    }
  });

  test("are all of them, used before or not, and none of another tenant", async () => {
    const dashboard = dashboardOf(latchkey);
    const keys = await Promise.all(Array.from({ length: 5 }, () => dashboard.createKey()));
    const other = await dashboardOf(latchkey).createKey();
    await useKey(latchkey, keys[0]?.key ?? "");
    await suspend(dashboard.tenant);
    for (const { key } of keys) expect(await useKey(latchkey, key)).toBe("api_key_disabled");
    expect(await useKey(latchkey, other.key)).toBe("admitted");
  });

  test("are still revoked, or disabled, where they were; expired ones are disabled", async () => {
    const dashboard = dashboardOf(latchkey);
    const [revoked, disabled] = [await dashboard.createKey(), await dashboard.createKey()];
    const expired = await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
    await dashboard.result("revoke", { key_id: revoked.key_id });
    await dashboard.result("disable", { key_id: disabled.key_id });
    latchkey.clock.advance(HOUR);
    await suspend(dashboard.tenant);
    const message = async (key: string) => (await latchkey.call(VERIFY, {}, { "x-api-key": key })).json.message;
    expect(await useKey(latchkey, revoked.key)).toBe("api_key_revoked");
    expect(await message(revoked.key)).toContain("revoked");
    expect(await useKey(latchkey, disabled.key)).toBe("api_key_disabled");
    expect(await message(disabled.key)).toBe(
      "This API key is disabled; have an administrator enable it again. See /docs/errors#api_key_disabled",
    );
    expect(await useKey(latchkey, expired.key)).toBe("api_key_disabled");
    expect(await message(expired.key)).toBe(SUSPENDED);
    await operator.result("tenants/resume", { tenant_id: dashboard.tenant });
    expect(await useKey(latchkey, revoked.key)).toBe("api_key_revoked");
    expect(await useKey(latchkey, disabled.key)).toBe("api_key_disabled");
    expect(await useKey(latchkey, expired.key)).toBe("api_key_expired");
  });

  test("keep their status in what the operator finds", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    await suspend(dashboard.tenant);
    expect((await operator.answer("keys/find", { key_id })).keys).toMatchObject([
      { status: "KEY_STATUS_ACTIVE", tenant_suspended: true },
    ]);
  });

  test("are denied where they are publishable, whatever the user's token", async () => {
    const service = await sharedPublishable();
    const app = await service.newApp();
    expect(reasonOf(await app.verify())).toBe("admitted");
    await operatorOf(service.latchkey).result("tenants/suspend", { tenant_id: app.tenant });
    for (const answer of [await app.verify(), await app.verify("x.y.z")]) {
      expect([reasonOf(answer), answer.json.message]).toEqual(["api_key_disabled", SUSPENDED]);
    }
    await operatorOf(service.latchkey).result("tenants/resume", { tenant_id: app.tenant });
    expect(reasonOf(await app.verify())).toBe("admitted");
  });
});

describe("the answer", () => {
  test("is the tenant, with the instant and the reason", async () => {
    const dashboard = dashboardOf(latchkey);
    await dashboard.createKey();
    expect(await suspend(dashboard.tenant, { reason: "unpaid 😀" })).toEqual({
      tenant_id: dashboard.tenant,
      name: "",
      key_count: 1,
      suspended_at: expect.stringMatching(/Z$/),
      suspension_reason: "unpaid 😀",
    });
  });

  test("has the name of the tenant's organization", async () => {
    const created = await latchkey.call("/api/v1/orgs/create", { name: "Acme" }, await latchkey.dashboard());
    expect(await suspend(created.json.result.tenant_id)).toMatchObject({ name: "Acme", key_count: 0 });
  });

  test("to a second call has the first reason and instant, also among concurrent calls", async () => {
    const tenant = newTenant();
    const first = await suspend(tenant, { reason: "first" });
    expect(await suspend(tenant, { reason: "second" })).toEqual(first);
    expect(await suspend(tenant)).toEqual(first);
    const other = newTenant();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => suspend(other, { reason: `${n}` })));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });
});

test("an unknown tenant can be suspended, and its users are denied from their first request on", async () => {
  const tenant = newTenant();
  expect(await suspend(tenant)).toMatchObject({ tenant_id: tenant, name: "", key_count: 0, suspension_reason: "" });
  expect(reasonOf(await latchkey.call(VERIFY, {}, await latchkey.dashboard(tenant)))).toBe("tenant_suspended");
});

test.each([
  ["of 256 emoji", "😀".repeat(256)],
  ["with quotes", `it's "x"\\{}`],
  ["that is JSON", "[1]"],
])("a tenant_id %s is itself", async (_, name) => {
  await suspend(name);
  expect(reasonOf(await latchkey.call(VERIFY, {}, await latchkey.dashboard(name)))).toBe("tenant_suspended");
  expect(reasonOf(await latchkey.call(VERIFY, {}, await latchkey.dashboard(`${name.slice(0, -2)}`)))).toBe("admitted");
  await operator.result("tenants/resume", { tenant_id: name });
});
