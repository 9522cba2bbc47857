import { expect, test } from "vitest";
import { startLatchkey } from "../harness/latchkey.ts";
import { invite, newOrganization, orgUser } from "../harness/organizations.ts";

const WEEK_MS = 7 * 86_400_000;

test("invitations of every status are listed, newest first, in pages and without their tokens", async () => {
  const latchkey = await startLatchkey();
  const { owner } = await newOrganization(latchkey);
  const user = orgUser(latchkey);
  await invite(owner, "expired@example.com");
  latchkey.clock.advance(WEEK_MS);
  const { token } = await invite(owner, user.email, "developer");
  const { invitation_id } = await invite(owner, "revoked@example.com");
  await invite(owner, "pending@example.com");
  await user.call("invitations/accept", { token });
  await owner.call("invitations/revoke", { invitation_id });

  const { json, text } = await owner.call("invitations/list");
  expect(json.invitations).toMatchObject([
    { email: "pending@example.com", status: "INVITATION_STATUS_PENDING" },
    { email: "revoked@example.com", status: "INVITATION_STATUS_REVOKED" },
    { email: user.email, status: "INVITATION_STATUS_ACCEPTED", accepted_at: expect.stringMatching(/Z$/) },
    { email: "expired@example.com", status: "INVITATION_STATUS_EXPIRED" },
  ]);
  expect(json.invitations[0]).not.toHaveProperty("accepted_at");
  expect(text).not.toContain("inv_");
  const page = (await owner.call("invitations/list", { page: 2, per_page: 3 })).json;
  expect(page.invitations).toEqual(json.invitations.slice(3));
  expect(page.pagination).toEqual({ total: 4, page: 2, per_page: 3, total_pages: 2 });
  await latchkey.close();
});
