// promise: operator.tenants
import { describe, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const list = (body: object) => operatorOf(latchkey).call("tenants/list", body);

describe.each(["page", "per_page"])("%s", (member) => {
  test.each([-1, 1.5, 2_147_483_648, "x", "", true, [], {}])("%j is 400 and names the member", async (value) => {
    expectInvalid(await list({ [member]: value }), member);
  });
});

test.each(["true", 1, "", [], {}])("the only_suspended %j is 400", async (only_suspended) => {
  expectInvalid(await list({ only_suspended }), "only_suspended");
});

test.each([
  ["only-suspended", "only_suspended"],
  ["suspended", "only_suspended"],
  ["perpage", "per_page"],
])("the unknown member %s is 400, and the message suggests %s", async (member, offered) => {
  expectInvalid(await list({ [member]: 1 }), member, `"${offered}"`);
});
