// promise: operator.twins
import { expect, test } from "vitest";
import { expectPrecondition } from "../harness/error-answers.ts";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { testOperatorKeyErrors } from "./operator-key.suite.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

testOperatorKeyErrors(latchkey, "keys/enable");

test("a revoked key is 400, and stays revoked", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  const revoked = await operator.result("keys/revoke", { key_id });
  expectPrecondition(await operator.call("keys/enable", { key_id }), "key_id", "revoked");
  expect((await operator.answer("keys/find", { key_id })).keys).toEqual([revoked]);
  expect(await useKey(latchkey, key)).toBe("api_key_revoked");
});
