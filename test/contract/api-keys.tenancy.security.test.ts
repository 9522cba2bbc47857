import { expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { dashboardOf, KEY_VERBS } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

test("a byte order mark at the beginning makes another tenant", async () => {
  const tenant = newTenant();
  const marked = dashboardOf(latchkey, `\ufeff${tenant}`);
  const first = await marked.createKey();
  const rotated = await marked.result("rotate", { key_id: first.key_id, grace_period_hours: 1 });
  for (const key of [first.key, String(rotated.key)]) {
    const { json } = await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key });
    expect(json).toMatchObject({ tenant_id: `\ufeff${tenant}` });
  }
  expect((await dashboardOf(latchkey, tenant).call("list", {})).json).toMatchObject({ pagination: { total: 0 } });
});

test("another case, or a space at the end, makes another tenant", async () => {
  const owner = dashboardOf(latchkey);
  await owner.createKey();
  for (const tenant of [owner.tenant.toUpperCase(), `${owner.tenant} `, `${owner.tenant}\u200b`]) {
    const answer = await dashboardOf(latchkey, tenant).call("list", {});
    if (answer.status === 200) expect(answer.json.pagination.total).toBe(0);
    else expect(answer.json.denial_reason).toBe("tenant_required");
  }
});

// threat: X16
test.each(["tenant_id", "tenantId", "tenant"])("a %s in the body is 400", async (member) => {
  const owner = dashboardOf(latchkey);
  const stranger = dashboardOf(latchkey);
  const body = { name: "x", permissions: ["plans:read"], [member]: owner.tenant };
  expectInvalid(await stranger.call("create", body), member);
  expectInvalid(await stranger.call("list", { [member]: owner.tenant }), member);
  expect((await owner.call("list", {})).json.pagination.total).toBe(0);
});

test("no answer contains the tenant", async () => {
  const owner = dashboardOf(latchkey);
  const { key_id } = await owner.createKey();
  for (const answer of [await owner.call("list", {}), await owner.call("get", { key_id })]) {
    expect(answer.text).not.toContain(owner.tenant);
    expect(answer.text).not.toMatch(/tenant/i);
  }
});

// threat: K12
test("a secret key with every scope manages no key of its tenant, and nothing has changed", async () => {
  const owner = dashboardOf(latchkey);
  const { key } = await owner.createKey({ permissions: ["*"] });
  const { key_id } = await owner.createKey();
  const state = async () => {
    const { json } = await owner.call("list", {});
    return { record: await owner.result("get", { key_id }), total: json.pagination.total };
  };
  const before = await state();
  const verbs = [
    ...KEY_VERBS.map(({ method, body }) => [method, body(key_id)] as const),
    ["create", { name: "another", permissions: ["plans:read"] }] as const,
    ["list", {}] as const,
  ];
  for (const [method, body] of verbs) {
    const { status, json } = await latchkey.call(`/api/v1/api-keys/${method}`, body, { "x-api-key": key });
    expect([method, status, json.denial_reason]).toEqual([method, 403, "insufficient_scope"]);
  }
  expect(await state()).toEqual(before);
});
