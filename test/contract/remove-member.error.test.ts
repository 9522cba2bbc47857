// promise: orgs.last-owner
import { expect, test } from "vitest";
import { expectFault, expectInvalid, expectPrecondition } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newMember, newOrganization } from "../harness/organizations.ts";

const REMOVE = "members/remove";

const latchkey = await sharedLatchkey();
const founded = await newOrganization(latchkey);
const { owner } = founded;

test.each([
  ["user_id", ""],
  ["user_id", "x".repeat(257)],
  ["issuer", "x".repeat(2_049)],
  ["role", "viewer"],
])("%s: %.20j is 400", async (member, value) => {
  expectInvalid(await owner.call(REMOVE, { user_id: owner.sub, [member]: value }), member);
});

test("an unknown member, one of another issuer and one who was removed are 404", async () => {
  const former = await newMember(latchkey, founded, "viewer");
  await owner.call(REMOVE, { user_id: former.sub });
  for (const member of [
    { user_id: "unknown" },
    { user_id: owner.sub, issuer: "https://other.example" },
    { user_id: former.sub },
  ]) {
    const answer = await owner.call(REMOVE, member);
    expectFault(answer, 404, "not_found");
    expect(answer.json.message).toContain("orgs/members/list");
  }
});

test("the last owner cannot be removed, and the message names the way out", async () => {
  const answer = await owner.call(REMOVE, { user_id: owner.sub });
  expectPrecondition(answer, "user_id", "make another member owner first, with orgs/members/set-role");
  expect((await owner.call("get")).status).toBe(200);
});

test("of two owners who remove each other at once one stays", async () => {
  const one = await newOrganization(latchkey);
  const second = await newMember(latchkey, one, "owner");
  const answers = await Promise.all([
    one.owner.call(REMOVE, { user_id: second.sub }),
    second.call(REMOVE, { user_id: one.owner.sub }),
  ]);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});
