// promise: invitations.accept
import { expect, test } from "vitest";
import { sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { invite, newMember, newOrganization, orgUser } from "../harness/organizations.ts";

const PREVIEW = "invitations/preview";

const latchkey = await sharedLatchkey();
const { owner } = await newOrganization(latchkey);

test.each([
  ["no address", { email: undefined }],
  ["an address that is not verified", { email_verified: false }],
  ["another address", { email: "other@example.com" }],
])("a token with %s learns nothing: the answer is that of acceptance", async (_what, claims) => {
  const user = orgUser(latchkey);
  const { token } = await invite(owner, user.email);
  const previewed = await user.call(PREVIEW, { token }, claims);
  const accepted = await user.call("invitations/accept", { token }, claims);
  expect([previewed.status, previewed.json]).toEqual([403, accepted.json]);
  for (const secret of [user.email, "Acme", owner.email]) expect(previewed.text).not.toContain(secret);
});

test("a stranger cannot tell a pending invitation from a revoked one", async () => {
  const [user, stranger] = [orgUser(latchkey), orgUser(latchkey)];
  const { token, invitation_id } = await invite(owner, user.email);
  const pending = await stranger.call(PREVIEW, { token });
  await owner.call("invitations/revoke", { invitation_id });
  expect((await stranger.call(PREVIEW, { token })).text).toBe(pending.text);
});

test("the address of a maker who is not a member any more is not shown, nor is their invitation", async () => {
  const founded = await newOrganization(latchkey);
  const [maker, user] = [await newMember(latchkey, founded, "admin"), orgUser(latchkey)];
  const { token } = await invite(maker, user.email);
  await founded.owner.call("members/remove", { user_id: maker.sub });
  const { status, json, text } = await user.call(PREVIEW, { token });
  expect([status, json.reason]).toEqual([400, "invitation_ended"]);
  expect(text).not.toContain(maker.email);
});

test("the log has nothing of a token", async () => {
  const own = await startLatchkey();
  const founded = await newOrganization(own);
  const user = orgUser(own);
  const { token } = await invite(founded.owner, user.email);
  await user.call(PREVIEW, { token });
  await user.call(PREVIEW, { token: `${token}x` });
  await own.close();
  const log = own.logLines.join("");
  expect(log).toContain("PreviewInvitation");
  for (const secret of [token, token.slice(4)]) expect(log).not.toContain(secret);
});
