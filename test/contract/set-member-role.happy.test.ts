// promise: orgs.roles
import { expect, test } from "vitest";
import { accessRules } from "../harness/access-rules.ts";
import { type Latchkey, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { newMember, newOrganization, type OrgUser } from "../harness/organizations.ts";
import { sharedWithRolesInTokens } from "../harness/roles.ts";

const latchkey = await sharedLatchkey();

/** An admin whose tokens have a claim `roles`, and what their owner does. */
async function inToken(own: Latchkey) {
  const { org, owner: founder } = await newOrganization(own);
  const owner: OrgUser = { ...founder, call: (method, body) => founder.call(method, body, { roles: ["owner"] }) };
  const member = await newMember(own, { org, owner }, "admin");
  return {
    member,
    setRole: (role: string) => owner.call("members/set-role", { user_id: member.sub, role }),
    update: (roles: readonly string[]) => member.call("update", { name: "New" }, { roles }),
  };
}

test("a member's new role decides the next request, with the token of before", async () => {
  const founded = await newOrganization(latchkey);
  const member = await newMember(latchkey, founded, "viewer");
  const create = () => member.call("/api/v1/api-keys/create", { name: "key", permissions: ["plans:read"] });
  expect((await create()).status).toBe(403);
  for (const [role, status] of [
    ["developer", 200],
    ["viewer", 403],
    ["admin", 200],
  ] as const) {
    const { json } = await founded.owner.call("members/set-role", { user_id: member.sub, role });
    expect(json.result).toMatchObject({ user_id: member.sub, role, email: member.email });
    expect(json).not.toHaveProperty("warning");
    expect((await create()).status).toBe(status);
  }
});

test("where roles are in the tokens, the answer warns that they decide until they expire", async () => {
  const own = await sharedWithRolesInTokens();
  const { member, setRole, update } = await inToken(own);
  expect((await update(["admin"])).status).toBe(200);
  const { json } = await setRole("viewer");
  expect(json.result).toMatchObject({ user_id: member.sub, role: "viewer" });
  expect(json.warning).toMatch(
    /^Roles are read from tokens here: .* keeps its roles until it expires\..* ROLES_FROM_MEMBERSHIP=true/,
  );
  expect((await update(["admin"])).status).toBe(200);
});

test("with ROLES_FROM_MEMBERSHIP the new role decides the next request, whatever roles the token has, and nothing is warned of", async () => {
  const config = { access: accessRules({ rolesClaim: "roles" }), rolesFromMembership: true };
  const own = await startLatchkey({ config });
  const { setRole, update } = await inToken(own);
  expect((await update([])).status).toBe(200);
  expect((await setRole("viewer")).json).not.toHaveProperty("warning");
  expect((await update(["owner", "admin"])).status).toBe(403);
  await setRole("admin");
  expect((await update(["viewer"])).status).toBe(200);
  await own.close();
});

test("an owner steps back once there is another one", async () => {
  const founded = await newOrganization(latchkey);
  const { owner } = founded;
  const member = await newMember(latchkey, founded, "admin");
  await owner.call("members/set-role", { user_id: member.sub, role: "owner" });
  const { json } = await owner.call("members/set-role", { user_id: owner.sub, role: "viewer" });
  expect(json.result.role).toBe("viewer");
  expect((await owner.call("update", { name: "New" })).status).toBe(403);
});

test("the last owner may be made owner again", async () => {
  const { owner } = await newOrganization(latchkey);
  expect((await owner.call("members/set-role", { user_id: owner.sub, role: "owner" })).status).toBe(200);
});
