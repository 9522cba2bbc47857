// promise: rules.checked
import { expect, test } from "vitest";
import { policyOf } from "../harness/key-policy.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { sharedWithRoles } from "../harness/roles.ts";

const latchkey = await sharedLatchkey();
const withRoles = await sharedWithRoles();

test("owners and admins set rules, and developers by their api_keys:*; viewers do not", async () => {
  for (const [role, status] of [
    ["owner", 200],
    ["admin", 200],
    ["developer", 200],
    ["viewer", 403],
  ] as const) {
    const answer = await withRoles.call("/api/v1/api-keys/policy/set", { policy: {} }, await withRoles.user(role));
    expect([role, answer.status]).toEqual([role, status]);
  }
});

test("a tenant's rules do not apply to another tenant", async () => {
  const [own, other] = [policyOf(latchkey), policyOf(latchkey)];
  await own.set({ max_keys: 1, permissions: ["plans:read"] });
  expect(await other.get()).toEqual(await policyOf(latchkey, newTenant()).get());
});
