// promise: operator.twins
import { expect, test } from "vitest";
import { expectPrecondition } from "../harness/error-answers.ts";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { testOperatorKeyErrors } from "./operator-key.suite.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

testOperatorKeyErrors(latchkey, "keys/revoke");

test("a key that the operator has revoked cannot be enabled, changed or rotated by its tenant", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  await operator.result("keys/revoke", { key_id });
  for (const [method, body] of [
    ["enable", {}],
    ["disable", {}],
    ["rotate", {}],
    ["update", { name: "after", update_mask: "name" }],
  ] as const) {
    expectPrecondition(await dashboard.call(method, { key_id, ...body }), "key_id", "revoked");
  }
  expect(await useKey(latchkey, key)).toBe("api_key_revoked");
});
