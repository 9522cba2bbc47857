// promise: operator.twins
import { expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

test("the successor works at once, the old key until the grace period ends, and the tenant's trail says who did it", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  const body = { tenant_id: dashboard.tenant, key_id, grace_period_hours: 0 };
  const answer = await operator.call("keys/rotate", body);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const { result } = answer.json;
  expect(await useKey(latchkey, result.key)).toBe("admitted");
  expect(await useKey(latchkey, key)).toBe("api_key_expired");
  expect(latchkey.logLines.join("")).not.toContain(result.key.slice(12, -4));
  expect(await dashboard.result("get", { key_id })).toMatchObject({ rotated_to: result.key_id });
  const [event] = await eventsOf(latchkey, dashboard.tenant, { action: "api_key.rotated" });
  expect(event).toMatchObject({ target_id: key_id, actor: { kind: "operator", operator_token: 1 } });
});

test("with client_request_id the call is repeated without a second successor", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const body = { tenant_id: dashboard.tenant, key_id, client_request_id: "rotation-1" };
  const first = await operator.result("keys/rotate", body);
  const { key_prefix } = first;
  expect(await operator.result("keys/rotate", body)).toEqual({
    ...{ key_id: first.key_id, key: "", key_prefix, already_created: true },
  });
  expect((await dashboard.call("list", {})).json.pagination.total).toBe(2);
});
