// promise: rules.checked
import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { sharedWithRoles } from "../harness/roles.ts";
import { testCommonDenials } from "./common-denials.suite.ts";

const latchkey = await sharedLatchkey();
const withRoles = await sharedWithRoles();

testCommonDenials(latchkey, "GetKeyPolicy");

test("a user who may only read keys does not see the rules", async () => {
  const answer = await withRoles.call("/api/v1/api-keys/policy/get", {}, await withRoles.user("viewer"));
  expect([answer.status, answer.json.denial_reason]).toEqual([403, "insufficient_scope"]);
  expect(answer.json.message).toContain("api_keys:admin");
});
