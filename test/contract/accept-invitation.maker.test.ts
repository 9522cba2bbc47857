// promise: invitations.maker
import { describe, expect, test } from "vitest";
import { accessRules } from "../harness/access-rules.ts";
import { expectPrecondition } from "../harness/error-answers.ts";
import type { Answer } from "../harness/http.ts";
import { type Latchkey, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { invite, newMember, newOrganization, type OrgUser, orgUser } from "../harness/organizations.ts";
import { sharedWithRolesInTokens } from "../harness/roles.ts";

const ACCEPT = "invitations/accept";
const ENDED = "has ended, because the user who made it may no longer give its role; ask for another one";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

/** An organization with an admin, who has invited a user to a role. */
async function invited(role: string, on: Latchkey = latchkey) {
  const founded = await newOrganization(on);
  const admin = await newMember(on, founded, "admin");
  const user = orgUser(on);
  const { token, invitation_id } = await invite(admin, user.email, role);
  const setRole = (of: OrgUser, to: string) => founded.owner.call("members/set-role", { user_id: of.sub, role: to });
  return { ...founded, admin, user, invitation_id, accept: () => user.call(ACCEPT, { token }), setRole };
}

const statuses = async (owner: OrgUser) =>
  (await owner.call("invitations/list")).json.invitations.map(({ status }: { status: string }) =>
    status.replace("INVITATION_STATUS_", ""),
  );

function expectEnded(answer: Answer): void {
  expectPrecondition(answer, "token", ENDED);
}

describe("an invitation", () => {
  test("ends with its maker's membership, also if they are a member again, and the list says so", async () => {
    const { owner, admin, user, accept } = await invited("owner");
    expect(await statuses(owner)).toEqual(["PENDING", "ACCEPTED"]);
    await owner.call("members/remove", { user_id: admin.sub });
    expectEnded(await accept());
    expect(await statuses(owner)).toEqual(["ENDED", "ACCEPTED"]);
    const again = await invite(owner, admin.email, "admin");
    expect((await admin.call(ACCEPT, { token: again.token })).status).toBe(200);
    expectEnded(await accept());
    expect((await user.call("list")).json.orgs).toEqual([]);
    expect((await owner.call("members/list")).json.members).toHaveLength(2);
  });

  test("is bound to what its maker's role grants, and is pending again with the old role", async () => {
    const { owner, admin, accept, setRole } = await invited("owner");
    await setRole(admin, "developer");
    expectEnded(await accept());
    expect(await statuses(owner)).toEqual(["ENDED", "ACCEPTED"]);
    await setRole(admin, "admin");
    expect(await statuses(owner)).toEqual(["PENDING", "ACCEPTED"]);
    expect((await accept()).status).toBe(200);
  });

  test("to a role that its maker's new role grants, too, stays", async () => {
    const own = await startLatchkey({ config: { access: accessRules({ roles: { staff: ["org:*", "users:read"] } }) } });
    const { admin, accept, setRole } = await invited("staff", own);
    await setRole(admin, "staff");
    expect((await accept()).status).toBe(200);
    await own.close();
  });

  test("names its maker, and ends with their erasure, which removes the name", async () => {
    const { org, owner, admin, accept, invitation_id } = await invited("viewer");
    const first = async () => (await owner.call("invitations/list")).json.invitations[0];
    expect(await first()).toMatchObject({
      invitation_id,
      created_by: { user_id: admin.sub, issuer: latchkey.provider.issuer },
    });
    await operator.result("users/erase", { tenant_id: org.tenant_id, user_id: admin.sub });
    expectEnded(await accept());
    expect(await first()).toMatchObject({ invitation_id, status: "INVITATION_STATUS_ENDED" });
    expect(await first()).not.toHaveProperty("created_by");
  });

  test("that was accepted, revoked or has expired keeps its status when its maker is removed", async () => {
    const { owner, admin } = await invited("viewer");
    const { invitation_id } = await invite(admin, "revoked@example.com");
    await owner.call("invitations/revoke", { invitation_id });
    await owner.call("members/remove", { user_id: admin.sub });
    expect(await statuses(owner)).toEqual(["REVOKED", "ENDED", "ACCEPTED"]);
  });

  test("tells a stranger nothing of its end", async () => {
    const { owner, admin, user } = await invited("viewer");
    const { token } = await invite(admin, user.email);
    const stranger = orgUser(latchkey);
    const pending = await stranger.call(ACCEPT, { token });
    await owner.call("members/remove", { user_id: admin.sub });
    expect((await stranger.call(ACCEPT, { token })).text).toBe(pending.text);
  });

  test("that is accepted while its maker is removed leaves either a member or an ended invitation", async () => {
    for (let turn = 0; turn < 5; turn++) {
      const { owner, admin, user, accept } = await invited("viewer");
      const [accepted, removed] = await Promise.all([accept(), owner.call("members/remove", { user_id: admin.sub })]);
      expect(removed.status).toBe(200);
      const isMember = (await user.call("list")).json.orgs.length === 1;
      expect([accepted.status, (await statuses(owner))[0]]).toEqual(isMember ? [200, "ACCEPTED"] : [400, "ENDED"]);
      expect((await accept()).status).toBe(400);
    }
  });
});

/** An organization with a member of that role, both with the role `owner` in their tokens. */
async function ownersByToken(own: Latchkey, role: string) {
  const byToken = (user: OrgUser): OrgUser => ({
    ...user,
    call: (method, body) => user.call(method, body, { roles: ["owner"] }),
  });
  const { org, owner: founder } = await newOrganization(own);
  const owner = byToken(founder);
  return { owner, member: byToken(await newMember(own, { org, owner }, role)) };
}

describe("where roles are in tokens, an invitation", () => {
  test("ends with a membership whose role granted its role, also by a lesser one", async () => {
    const own = await sharedWithRolesInTokens();
    const { owner, member: admin } = await ownersByToken(own, "admin");
    const user = orgUser(own);
    const { token } = await invite(admin, user.email, "admin");
    await owner.call("members/set-role", { user_id: admin.sub, role: "viewer" });
    expectEnded(await user.call(ACCEPT, { token }));
  });

  test("that the token alone granted stays whatever the membership's role, and ends with the membership", async () => {
    const own = await sharedWithRolesInTokens();
    const { owner, member: admin } = await ownersByToken(own, "viewer");
    const [one, other] = [orgUser(own), orgUser(own)];
    const [first, second] = [await invite(admin, one.email, "admin"), await invite(admin, other.email, "admin")];
    expect((await one.call(ACCEPT, { token: first.token })).status).toBe(200);
    await owner.call("members/remove", { user_id: admin.sub });
    expectEnded(await other.call(ACCEPT, { token: second.token }));
  });

  test("of a user who has never been a member stays: their provider decides about them", async () => {
    const { org, owner } = await newOrganization(latchkey);
    const ofProvider = orgUser(latchkey, org.tenant_id);
    const user = orgUser(latchkey);
    const { token } = await invite(ofProvider, user.email, "admin");
    expect(await statuses(owner)).toEqual(["PENDING"]);
    expect((await user.call(ACCEPT, { token })).status).toBe(200);
  });
});

describe("an invitation of a suspended tenant", () => {
  test("is 403 tenant_suspended until the tenant is resumed, only to the invited user", async () => {
    const { org, user, accept, admin } = await invited("viewer");
    const { token } = await invite(admin, orgUser(latchkey).email);
    const before = await user.call(ACCEPT, { token });
    await operator.result("tenants/suspend", { tenant_id: org.tenant_id });
    const { status, json } = await accept();
    expect([status, json.denial_reason]).toEqual([403, "tenant_suspended"]);
    expect(json.message).toContain("The tenant of the organization that invited this user is suspended");
    expect((await user.call(ACCEPT, { token })).text).toBe(before.text);
    await operator.result("tenants/resume", { tenant_id: org.tenant_id });
    expect((await accept()).status).toBe(200);
  });
});
