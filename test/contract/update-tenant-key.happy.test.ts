// promise: operator.twins
import { expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

test("what the mask names is changed, at once and no other member, and the tenant's trail says who did it", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey({ permissions: ["conversations:read"], description: "kept" });
  expect(await useKey(latchkey, key)).toBe("admitted");
  const body = { key_id, permissions: ["plans:read"], name: "renamed", update_mask: "permissions,name" };
  const record = await operator.result("keys/update", { tenant_id: dashboard.tenant, ...body });
  expect(record).toMatchObject({ permissions: ["plans:read"], name: "renamed", description: "kept" });
  // The use above is counted meanwhile.
  const { last_used_at: _, ...read } = await dashboard.result("get", { key_id });
  expect(record).toMatchObject(read);
  expect(await useKey(latchkey, key)).toBe("insufficient_scope");
  const [event] = await eventsOf(latchkey, dashboard.tenant);
  expect(event).toMatchObject({
    action: "api_key.updated",
    target_id: key_id,
    actor: { kind: "operator", operator_token: 1 },
    changes: { permissions: { old: ["conversations:read"], new: ["plans:read"] } },
  });
});

test("the tenant's rules for keys hold for the operator, too", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const policy = { policy: { permissions: ["conversations:*"] } };
  const set = await latchkey.call("/api/v1/api-keys/policy/set", policy, await latchkey.dashboard(dashboard.tenant));
  expect(set.status, set.text).toBe(200);
  const body = { key_id, permissions: ["plans:read"], update_mask: "permissions" };
  const own = await dashboard.call("update", body);
  const twin = await operator.call("keys/update", { tenant_id: dashboard.tenant, ...body });
  expect([twin.status, twin.json]).toEqual([400, own.json]);
});
