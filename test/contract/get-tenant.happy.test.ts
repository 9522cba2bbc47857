// promise: operator.tenants
import { expect, test } from "vitest";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);
const get = (tenant_id: string) => operator.result("tenants/get", { tenant_id });

test("a tenant is what suspend and resume answer, with its keys and suspension of now", async () => {
  const tenant_id = newTenant();
  await operator.result("keys/create", { tenant_id, name: "a key", permissions: ["plans:read"] });
  const active = { tenant_id, name: "", key_count: 1, suspension_reason: "" };
  expect(await get(tenant_id)).toEqual(active);
  expect(await operator.result("tenants/suspend", { tenant_id, reason: "unpaid" })).toEqual(await get(tenant_id));
  expect(await get(tenant_id)).toMatchObject({ suspended_at: expect.any(String), suspension_reason: "unpaid" });
  expect(await operator.result("tenants/resume", { tenant_id })).toEqual(active);
});

test("a tenant is known by a suspension or an organization only, too", async () => {
  const tenant_id = newTenant();
  await operator.result("tenants/suspend", { tenant_id });
  expect(await get(tenant_id)).toMatchObject({ tenant_id, key_count: 0 });
  const created = await latchkey.call("/api/v1/orgs/create", { name: "Acme" }, await latchkey.dashboard(newTenant()));
  const { tenant_id: acme } = created.json.result;
  expect(await get(acme)).toEqual({ tenant_id: acme, name: "Acme", key_count: 0, suspension_reason: "" });
});
