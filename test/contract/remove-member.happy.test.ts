import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { invite, newMember, newOrganization } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test("a removed member is refused at once, with the token of before, and is not listed", async () => {
  const founded = await newOrganization(latchkey);
  const member = await newMember(latchkey, founded, "developer");
  expect((await member.call("/api/v1/api-keys/list")).status).toBe(200);
  const { json } = await founded.owner.call("members/remove", { user_id: member.sub });
  expect(json.result).toMatchObject({ user_id: member.sub, role: "developer", email: member.email });
  expect((await member.call("/api/v1/api-keys/list")).json.denial_reason).toBe("tenant_required");
  expect((await founded.owner.call("members/list")).json.members).toHaveLength(1);
});

test("a removed member who is invited again is a member again, with the new role", async () => {
  const founded = await newOrganization(latchkey);
  const member = await newMember(latchkey, founded, "admin");
  await founded.owner.call("members/remove", { user_id: member.sub });
  const { token } = await invite(founded.owner, member.email, "viewer");
  expect((await member.call("invitations/accept", { token }, { tenant_id: undefined })).status).toBe(200);
  expect((await member.call("/api/v1/api-keys/list")).status).toBe(200);
  expect((await member.call("update", { name: "New" })).status).toBe(403);
});

test("an owner leaves once there is another one, and users of other tenants are not touched", async () => {
  const [one, other] = [await newOrganization(latchkey), await newOrganization(latchkey)];
  const second = await newMember(latchkey, one, "owner");
  expect((await one.owner.call("members/remove", { user_id: one.owner.sub })).status).toBe(200);
  expect((await one.owner.call("get")).status).toBe(403);
  expect((await second.call("get")).status).toBe(200);
  expect((await other.owner.call("get")).status).toBe(200);
});
