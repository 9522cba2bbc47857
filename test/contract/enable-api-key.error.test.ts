// promise: keys.revoked
import { expect, test } from "vitest";
import { expectInvalid, expectPrecondition } from "../harness/error-answers.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { testKeyIdErrors } from "./key-id.suite.ts";

const latchkey = await sharedLatchkey();

testKeyIdErrors(latchkey, "enable");

test("a revoked key is 400 with what to do instead, and nothing changes", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const revoked = await dashboard.result("revoke", { key_id });
  expectPrecondition(await dashboard.call("enable", { key_id }), "key_id", "revoked", "create a new key");
  expect(await dashboard.result("get", { key_id })).toEqual(revoked);
});

test.each(["disabled", "status", "name"])("a %s beside the key_id is 400", async (member) => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  expectInvalid(await dashboard.call("enable", { key_id, [member]: "x" }), member);
  expect((await dashboard.result("get", { key_id })).status).toBe("KEY_STATUS_ACTIVE");
});
