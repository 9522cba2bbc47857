// promise: orgs.own, orgs.roles, orgs.no-more
import { expect, test } from "vitest";
import { accessRules } from "../harness/access-rules.ts";
import { sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { newMember, newOrganization, orgUser } from "../harness/organizations.ts";
import { sharedWithRolesInTokens } from "../harness/roles.ts";

const SET_ROLE = "members/set-role";

const latchkey = await sharedLatchkey();

test("another tenant's members are answered like unknown ones", async () => {
  const [one, other] = [await newOrganization(latchkey), await newOrganization(latchkey)];
  const unknown = await one.owner.call(SET_ROLE, { user_id: "unknown", role: "viewer" });
  const foreign = await one.owner.call(SET_ROLE, { user_id: other.owner.sub, role: "viewer" });
  expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
  expect((await other.owner.call("update", { name: "New" })).status).toBe(200);
});

test("no user gives or invites to a role with scopes that they lack, themselves included", async () => {
  const roles = { staff: ["org:*", "users:read"], reader: ["users:read"], billing: ["billing:read"] };
  const own = await startLatchkey({ config: { access: accessRules({ roles }) } });
  const founded = await newOrganization(own);
  const [staff, member] = [await newMember(own, founded, "staff"), await newMember(own, founded, "viewer")];
  for (const role of ["owner", "admin", "developer", "viewer", "billing"]) {
    for (const answer of [
      await staff.call(SET_ROLE, { user_id: staff.sub, role }),
      await staff.call(SET_ROLE, { user_id: member.sub, role }),
      await staff.call("invitations/create", { email: "jo@example.com", role }),
    ]) {
      expect([role, answer.status, answer.json.denial_reason]).toEqual([role, 403, "insufficient_scope"]);
      expect(answer.json.message).toMatch(/you cannot give the role \w+, because you do not have its scope \S+;/);
    }
  }
  for (const role of ["staff", "reader"]) {
    expect((await staff.call(SET_ROLE, { user_id: member.sub, role })).json.result.role).toBe(role);
    expect((await staff.call("invitations/create", { email: "jo@example.com", role })).status).toBe(200);
  }
  await own.close();
});

test("a role of the roles file that is named as it is decides about its member", async () => {
  const own = await startLatchkey({ config: { access: accessRules({ roles: { billing: ["billing:read"] } }) } });
  const founded = await newOrganization(own);
  const member = await newMember(own, founded, "billing");
  expect((await member.call("/api/v1/auth/verify")).json.permissions).toEqual(["billing:read"]);
  expect((await member.call("get")).status).toBe(403);
  const unknown = await founded.owner.call(SET_ROLE, { user_id: member.sub, role: "biling" });
  expect(unknown.json.message).toContain("owner, admin, developer, viewer, billing");
  await own.close();
});

test("with ROLES_FROM_MEMBERSHIP a user who is not a member of the tenant has no role, whatever their token says", async () => {
  for (const rules of [{}, { rolesClaim: "roles" }]) {
    const own = await startLatchkey({ config: { access: accessRules(rules), rolesFromMembership: true } });
    const { org } = await newOrganization(own);
    const stranger = orgUser(own, org.tenant_id);
    for (const path of ["get", "/api/v1/api-keys/list"]) {
      const { status, json } = await stranger.call(path, {}, { roles: ["owner"] });
      expect([status, json.denial_reason]).toEqual([403, "insufficient_scope"]);
    }
    await own.close();
  }
});

test("where roles are in the tokens, they decide, and not the membership", async () => {
  const own = await sharedWithRolesInTokens();
  const { owner } = await newOrganization(own);
  expect((await owner.call("get")).status).toBe(403);
  expect((await owner.call("get", {}, { roles: ["viewer"] })).status).toBe(200);
  expect((await owner.call("update", { name: "New" }, { roles: ["viewer"] })).status).toBe(403);
});
