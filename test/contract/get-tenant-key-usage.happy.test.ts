// promise: operator.twins
import { expect, test } from "vitest";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

test("the counters and the series are those that the tenant's users have", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  for (let n = 0; n < 3; n++) await useKey(latchkey, key);
  for (const period of [{}, { step: "day" }]) {
    const own = await dashboard.call("usage", { key_id, ...period });
    expect(own.json.result.total_verifications).toBe(3);
    const twin = await operator.answer("keys/usage", { tenant_id: dashboard.tenant, key_id, ...period });
    expect(twin).toEqual(own.json);
  }
});
