// promise: invitations.accept
import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { invite, newOrganization, orgUser } from "../harness/organizations.ts";

const PREVIEW = "invitations/preview";

const latchkey = await sharedLatchkey();

test("the invited user reads the organization, their role, who invited them and until when, and nothing else", async () => {
  const { owner } = await newOrganization(latchkey);
  const user = orgUser(latchkey);
  const { token, expires_at } = await invite(owner, user.email, "developer");
  const { status, json } = await user.call(PREVIEW, { token });
  expect([status, json]).toEqual([
    200,
    {
      result: {
        organization_name: "Acme",
        role: "developer",
        invited_by_email: owner.email,
        expires_at,
      },
    },
  ]);
});

test("reading changes nothing: it can be repeated, and the invitation is accepted afterwards", async () => {
  const { owner, org } = await newOrganization(latchkey);
  const user = orgUser(latchkey);
  const { token } = await invite(owner, user.email);
  const first = await user.call(PREVIEW, { token });
  expect((await user.call(PREVIEW, { token })).text).toBe(first.text);
  expect((await user.call("list")).json.orgs).toEqual([]);
  expect((await user.call("invitations/accept", { token })).json).toEqual({ result: org });
});

test("the name is the one of now", async () => {
  const { owner } = await newOrganization(latchkey);
  const user = orgUser(latchkey);
  const { token } = await invite(owner, user.email);
  await owner.call("update", { name: "Renamed" });
  expect((await user.call(PREVIEW, { token })).json.result.organization_name).toBe("Renamed");
});

test("a former member reads the invitation that brings them back", async () => {
  const { owner, org } = await newOrganization(latchkey);
  const user = orgUser(latchkey);
  const first = await invite(owner, user.email);
  await user.call("invitations/accept", { token: first.token });
  await owner.call("members/remove", { user_id: user.sub });
  const { token } = await invite(owner, user.email, "admin");
  const { status, json } = await user.call(PREVIEW, { token }, { tenant_id: org.tenant_id });
  expect([status, json.result?.role]).toEqual([200, "admin"]);
});
