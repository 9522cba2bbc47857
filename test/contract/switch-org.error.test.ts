import { expect, test } from "vitest";
import { expectFault, expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { orgUser } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test.each(["", "a\u0000", 5, null, undefined, "x".repeat(257)])("the org_id %.20j is 400", async (org_id) => {
  expectInvalid(await orgUser(latchkey).call("switch", { org_id }), "org_id");
});

test.each(["org_unknown", "x".repeat(256)])("the unknown org_id %.20j is 404", async (org_id) => {
  const answer = await orgUser(latchkey).call("switch", { org_id });
  expectFault(answer, 404, "not_found");
  expect(answer.json.message).toContain("orgs/list shows yours");
});
