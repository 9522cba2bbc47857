import { test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { orgUser } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test.each([
  ["page", -1],
  ["per_page", -1],
  ["page", "x"],
  ["page", 2 ** 31],
  ["user_id", "another"],
])("%s: %j is 400", async (member, value) => {
  expectInvalid(await orgUser(latchkey).call("list", { [member]: value }), member);
});
