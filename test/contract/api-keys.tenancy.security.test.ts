import { expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { dashboardOf } from "../harness/key-management.ts";
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
