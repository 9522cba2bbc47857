// promise: orgs.no-more, orgs.last-owner
import { expect, test } from "vitest";
import { expectFault, expectInvalid, expectPrecondition } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newMember, newOrganization } from "../harness/organizations.ts";

const SET_ROLE = "members/set-role";

const latchkey = await sharedLatchkey();
const founded = await newOrganization(latchkey);
const { owner } = founded;

test.each([
  ["user_id", ""],
  ["user_id", "x".repeat(257)],
  ["user_id", 5],
  ["user_id", "a\u0000"],
  ["issuer", "x".repeat(2_049)],
  ["role", ""],
  ["role", null],
])("%s: %.20j is 400", async (member, value) => {
  expectInvalid(await owner.call(SET_ROLE, { user_id: owner.sub, role: "viewer", [member]: value }), member);
});

test.each(["superuser", "Owner", "constructor", "*"])("the role %j is 400, and the roles are named", async (role) => {
  const answer = await owner.call(SET_ROLE, { user_id: owner.sub, role });
  expectInvalid(answer, "role", "owner, admin, developer, viewer");
});

test.each([{ user_id: "unknown" }, { user_id: owner.sub, issuer: "https://other.example" }])(
  "an unknown member is 404: %j",
  async (member) => {
    const answer = await owner.call(SET_ROLE, { ...member, role: "viewer" });
    expectFault(answer, 404, "not_found");
    expect(answer.json.message).toContain("orgs/members/list");
  },
);

test("the last owner cannot be demoted, and the message names the way out", async () => {
  const admin = await newMember(latchkey, founded, "admin");
  for (const caller of [owner, admin]) {
    const answer = await caller.call(SET_ROLE, { user_id: owner.sub, role: "admin" });
    expectPrecondition(answer, "user_id", "make another member owner first, with orgs/members/set-role");
  }
});

test("of two demotions at once of the last two owners exactly one succeeds", async () => {
  for (let trial = 0; trial < 5; trial++) {
    const one = await newOrganization(latchkey);
    const second = await newMember(latchkey, one, "owner");
    const answers = await Promise.all(
      [one.owner, second].map(({ sub }) => one.owner.call(SET_ROLE, { user_id: sub, role: "admin" })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const { members } = (await one.owner.call("members/list")).json;
    expect(members.filter(({ role }: { role: string }) => role === "owner")).toHaveLength(1);
  }
});
