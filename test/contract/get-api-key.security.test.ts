import { test } from "vitest";
import { expectNotFound } from "../harness/error-answers.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

// threat: X1
test("an X-Tenant-Id header does not choose the tenant", async () => {
  const owner = dashboardOf(latchkey);
  const { key_id } = await owner.createKey();
  const headers = { ...(await latchkey.dashboard()), "x-tenant-id": owner.tenant };
  expectNotFound(await latchkey.call("/api/v1/api-keys/get", { key_id }, headers));
});
