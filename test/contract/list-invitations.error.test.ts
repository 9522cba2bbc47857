import { test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newOrganization } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();
const { owner } = await newOrganization(latchkey);

test.each([
  ["page", -1],
  ["per_page", -1],
  ["per_page", "x"],
  ["org_id", "org_x"],
])("%s: %j is 400", async (member, value) => {
  expectInvalid(await owner.call("invitations/list", { [member]: value }), member);
});
