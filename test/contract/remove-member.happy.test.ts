// promise: orgs.removed
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

test("a removed member accepts a new invitation with the token of before, which does nothing else until then", async () => {
  const founded = await newOrganization(latchkey);
  const member = await newMember(latchkey, founded, "admin");
  await founded.owner.call("members/remove", { user_id: member.sub });
  const { token } = await invite(founded.owner, member.email, "viewer");
  for (const path of ["create", "list", "switch", "get", "/api/v1/auth/verify", "/api/v1/scopes/list"]) {
    const { status, json } = await member.call(path, {
      name: "Mine",
      org_id: founded.org.org_id,
      tenant_optional: true,
    });
    expect([path, status, json.denial_reason]).toEqual([path, 403, "tenant_required"]);
  }
  const unknown = await member.call("invitations/accept", { token: "inv_unknown" });
  expect([unknown.status, unknown.json.code]).toEqual([404, "not_found"]);
  expect((await member.call("invitations/accept", { token })).json.result).toEqual(founded.org);
  expect((await member.call("get")).status).toBe(200);
});

test("an owner leaves once there is another one, and users of other tenants are not touched", async () => {
  const [one, other] = [await newOrganization(latchkey), await newOrganization(latchkey)];
  const second = await newMember(latchkey, one, "owner");
  expect((await one.owner.call("members/remove", { user_id: one.owner.sub })).status).toBe(200);
  expect((await one.owner.call("get")).status).toBe(403);
  expect((await second.call("get")).status).toBe(200);
  expect((await other.owner.call("get")).status).toBe(200);
});
