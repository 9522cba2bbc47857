// promise: erasure.last-owner
import { describe, expect, test } from "vitest";
import { expectInvalid, expectPrecondition } from "../harness/error-answers.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { newMember, newOrganization } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);
const USER = { tenant_id: "ten_x", user_id: "user-x" };

describe.each(["tenant_id", "user_id"] as const)("%s", (field) => {
  test.each([undefined, null, ""])("is required: %j is 400", async (value) => {
    expectInvalid(await operator.call("users/erase", { ...USER, [field]: value }), field, "required");
  });

  test.each([5, true, {}, ["x"]])("must be a string: %j is 400", async (value) => {
    expectInvalid(await operator.call("users/erase", { ...USER, [field]: value }), field, "string");
  });

  test.each([" ", "\u200b", "a\nb", "a\0b", "\u007f", "x".repeat(257)])(
    "%.20j can be in no token, and is 400",
    async (value) => {
      expectInvalid(await operator.call("users/erase", { ...USER, [field]: value }), field);
    },
  );
});

test.each([5, {}, "x".repeat(2_049), "a\0b"])("the issuer %.20j is 400", async (issuer) => {
  expectInvalid(await operator.call("users/erase", { ...USER, issuer }), "issuer");
});

test("an unknown member is 400, and nothing is removed", async () => {
  const founded = await newOrganization(latchkey);
  const member = await newMember(latchkey, founded, "viewer");
  const body = { tenant_id: founded.org.tenant_id, user_id: member.sub, email: member.email };
  expectInvalid(await operator.call("users/erase", body), "email", "user_id");
  expect((await member.call("get")).status).toBe(200);
});

test("the last owner cannot be erased, and stays with everything", async () => {
  const founded = await newOrganization(latchkey);
  const { tenant_id } = founded.org;
  const answer = await operator.call("users/erase", { tenant_id, user_id: founded.owner.sub });
  expectPrecondition(answer, "user_id", "last owner cannot be erased");
  const { json } = await founded.owner.call("members/list");
  expect(json.members).toMatchObject([{ user_id: founded.owner.sub, email: founded.owner.email }]);
});

test("a user that is unknown, of a tenant that is unknown, is erased at once", async () => {
  const answer = await operator.result("users/erase", { tenant_id: newTenant(), user_id: "unknown" });
  expect(answer).toMatchObject({ finished: true, user_id: "unknown" });
});
