// promise: orgs.own
import { expect, test } from "vitest";
import { expectFault, expectInvalid, expectPrecondition } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { invite, newOrganization, orgUser } from "../harness/organizations.ts";

const REVOKE = "invitations/revoke";

const latchkey = await sharedLatchkey();
const { owner } = await newOrganization(latchkey);

test.each(["", 5, null, undefined, "x".repeat(257)])("the invitation_id %.20j is 400", async (invitation_id) => {
  expectInvalid(await owner.call(REVOKE, { invitation_id }), "invitation_id");
});

test("an unknown invitation and another organization's are 404 alike", async () => {
  const { invitation_id } = await invite((await newOrganization(latchkey)).owner, "jo@example.com");
  const unknown = await owner.call(REVOKE, { invitation_id: "ivt_unknown" });
  expectFault(unknown, 404, "not_found");
  expect(unknown.json.message).toContain("orgs/invitations/list");
  expect((await owner.call(REVOKE, { invitation_id })).text).toBe(unknown.text);
});

test("one that was accepted cannot be revoked, and the message names the way out", async () => {
  const user = orgUser(latchkey);
  const { invitation_id, token } = await invite(owner, user.email);
  await user.call("invitations/accept", { token });
  expectPrecondition(await owner.call(REVOKE, { invitation_id }), "invitation_id", "remove the member instead");
});
