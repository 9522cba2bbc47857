// promise: rules.checked
import { expect, test } from "vitest";
import { dashboardClient } from "../harness/clients.ts";
import { policyOf } from "../harness/key-policy.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

test("a tenant that has set no rules has the defaults: none, and as many keys as the operator allows", async () => {
  expect(await policyOf(latchkey).get()).toEqual({
    max_lifetime_hours: 0,
    expiry_required: false,
    max_rate_limit: { requests_per_minute: 0, requests_per_hour: 0, burst_size: 0 },
    permissions: [],
    allowed_ips_required: false,
    max_keys: 10_000,
  });
});

test("the client reads and sets rules", async () => {
  const client = dashboardClient(latchkey, newTenant());
  await client.keyPolicies.setKeyPolicy({ policy: { maxKeys: 3, expiryRequired: true } });
  const { result } = await client.keyPolicies.getKeyPolicy({});
  expect(result).toMatchObject({ maxKeys: 3, expiryRequired: true, maxLifetimeHours: 0 });
});
