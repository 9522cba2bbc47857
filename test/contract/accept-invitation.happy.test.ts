// promise: invitations.accept
import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { invite, newOrganization, orgUser } from "../harness/organizations.ts";

const ACCEPT = "invitations/accept";

const latchkey = await sharedLatchkey();

test("the invited user becomes a member with the role of the invitation, and it is their current organization", async () => {
  const { org, owner } = await newOrganization(latchkey);
  const user = orgUser(latchkey);
  await user.call("create", { name: "Own" });
  const { token } = await invite(owner, user.email, "developer");
  expect((await user.call(ACCEPT, { token })).json).toEqual({ result: org });
  expect((await user.call("list")).json.orgs).toMatchObject([
    { name: "Acme", role: "developer", current: true },
    { name: "Own", role: "owner", current: false },
  ]);
  const verified = await user.call("/api/v1/auth/verify", {}, { tenant_id: org.tenant_id });
  expect(verified.json.permissions).toContain("api_keys:*");
});

test("upper and lower case of the address do not matter, on either side", async () => {
  const { owner } = await newOrganization(latchkey);
  const user = orgUser(latchkey);
  const { token } = await invite(owner, user.email.toUpperCase());
  const email = user.email.replace("user", "USER");
  expect((await user.call(ACCEPT, { token }, { email })).status).toBe(200);
});

test("of several invitations of one user each is accepted only by its organization's rules", async () => {
  const [one, other] = [await newOrganization(latchkey), await newOrganization(latchkey)];
  const user = orgUser(latchkey);
  for (const { owner } of [one, other]) {
    const { token } = await invite(owner, user.email);
    expect((await user.call(ACCEPT, { token })).status).toBe(200);
  }
  expect((await user.call("list")).json.orgs).toHaveLength(2);
});
