import { expect, test } from "vitest";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

test("an API key with every scope cannot create an organization", async () => {
  const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions: ["*"] });
  const { status, json } = await latchkey.call("/api/v1/orgs/create", { name: "Acme" }, { "x-api-key": key });
  expect([status, json.denial_reason]).toEqual([403, "insufficient_scope"]);
});

test("the new tenant is not the caller's", async () => {
  const tenant = newTenant();
  const { json } = await latchkey.call("/api/v1/orgs/create", { name: "Acme" }, await latchkey.dashboard(tenant));
  expect(json.result.tenant_id).not.toBe(tenant);
});
