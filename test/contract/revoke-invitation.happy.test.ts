import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { invite, newOrganization, orgUser } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test("a revoked invitation cannot be accepted; revoking it again is harmless", async () => {
  const { owner } = await newOrganization(latchkey);
  const user = orgUser(latchkey);
  const { invitation_id, token } = await invite(owner, user.email);
  const first = await owner.call("invitations/revoke", { invitation_id });
  expect(first.json.result).toMatchObject({ invitation_id, status: "INVITATION_STATUS_REVOKED", email: user.email });
  expect((await owner.call("invitations/revoke", { invitation_id })).json).toEqual(first.json);
  expect((await user.call("invitations/accept", { token })).status).toBe(400);
});
