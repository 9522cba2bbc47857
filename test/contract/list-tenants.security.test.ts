// promise: operator.callers, suspension.reason
import { expect, test } from "vitest";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();

test("the reason of a suspension is in no log line, nor in an answer to the tenant", async () => {
  const tenant = newTenant();
  const { key } = await latchkey.createKey(await latchkey.dashboard(tenant));
  await operatorOf(latchkey).result("tenants/suspend", { tenant_id: tenant, reason: "an unpaid invoice" });
  for (const headers of [{ "x-api-key": key }, await latchkey.dashboard(tenant)]) {
    const { text } = await latchkey.call("/api/v1/auth/verify", {}, headers);
    expect(text).not.toContain("unpaid");
  }
  expect(latchkey.logLines.join("")).not.toContain("unpaid");
});
