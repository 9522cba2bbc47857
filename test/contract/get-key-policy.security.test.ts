// promise: rules.checked
import { expect, test } from "vitest";
import { sharedWithRoles } from "../harness/roles.ts";

const withRoles = await sharedWithRoles();

test("a user who may only read keys does not see the rules", async () => {
  const answer = await withRoles.call("/api/v1/api-keys/policy/get", {}, await withRoles.user("viewer"));
  expect([answer.status, answer.json.denial_reason]).toEqual([403, "insufficient_scope"]);
  expect(answer.json.message).toContain("api_keys:admin");
});
