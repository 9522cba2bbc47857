import { beforeEach, describe, expect, test } from "vitest";
import { accessRules } from "../../../test/harness/access-rules.ts";
import { ACT } from "../../../test/harness/act.ts";
import { createMemoryOrgs } from "../../../test/harness/memory-orgs.ts";
import { dashboardUser } from "../../../test/harness/principals.ts";
import { createAuthority } from "../access/authority.ts";
import { acceptInvitation, createInvitation, listInvitations, revokeInvitation } from "./invitations.ts";
import { removeMember } from "./members.ts";
import type { OrgStore } from "./org-store.ts";

const START = new Date("2026-03-01T12:00:00Z");
const WEEK_MS = 7 * 86_400_000;
const authority = createAuthority(accessRules());
const OWNER = dashboardUser({
  userId: "anna",
  memberRole: "owner",
  rights: authority.rightsOfRole("owner", "ten_1"),
});
const INVITED = dashboardUser({ userId: "ben", verifiedEmail: "ben@example.com", tenantId: null });
const PAGE = { page: 1, perPage: 20 };

let orgs: OrgStore;
let now: Date;
beforeEach(async () => {
  now = START;
  orgs = createMemoryOrgs(() => now);
  await orgs.createOrg({ orgId: "org_1", tenantId: "ten_1", name: "Acme" }, OWNER, "", null, ACT);
});

const ctx = () => ({ orgs, authority, clock: () => now });
const invite = (email = "ben@example.com", role = "") => createInvitation(ctx(), OWNER, { email, role }, ACT);
const accept = (token: string, user = INVITED) => acceptInvitation(ctx(), user, token, ACT);

describe("an invitation", () => {
  test("is valid for 7 days, for the role viewer unless another is named", async () => {
    const { invitation, token } = await invite(" Ben@Example.com");
    expect(invitation).toMatchObject({ email: "ben@example.com", role: "viewer", createdAt: START });
    expect(invitation.expiresAt.getTime() - START.getTime()).toBe(WEEK_MS);
    expect(token).toMatch(/^inv_[\w-]{43}$/);
    expect((await invite("ben@example.com", "admin")).invitation.role).toBe("admin");
    expect((await listInvitations(ctx(), OWNER, PAGE)).total).toBe(2);
  });

  test("to a role is for those who have its scopes, and for an address", async () => {
    await expect(invite("ben")).rejects.toThrow("email: must be an email address");
    await expect(invite("ben@example.com", "superuser")).rejects.toThrow("role:");
    const limited = dashboardUser({ rights: { scopes: ["org:*"], includeReserved: false } });
    const invited = createInvitation(ctx(), limited, { email: "ben@example.com", role: "owner" }, ACT);
    await expect(invited).rejects.toMatchObject({ reason: "insufficient_scope" });
  });

  test("makes its address a member once, until its last millisecond", async () => {
    const { token } = await invite();
    now = new Date(START.getTime() + WEEK_MS - 1);
    expect(await accept(token)).toMatchObject({ orgId: "org_1", tenantId: "ten_1" });
    await expect(accept(token)).rejects.toThrow("token: the invitation was accepted already");
    const second = await invite();
    await expect(accept(second.token)).rejects.toThrow("you are a member of this organization already");
  });

  test("that has expired or was revoked is a failed precondition that says what to do", async () => {
    const [expired, revoked] = [await invite(), await invite()];
    await revokeInvitation(ctx(), OWNER, revoked.invitation.invitationId, ACT);
    await expect(accept(revoked.token)).rejects.toThrow("token: the invitation was revoked; ask for another one");
    now = new Date(START.getTime() + WEEK_MS);
    await expect(accept(expired.token)).rejects.toMatchObject({
      kind: "failed_precondition",
      message: "token: the invitation has expired; ask for another one",
    });
  });

  test.each([
    ["none", null, "use one with email, and email_verified true"],
    ["another", "other@example.com", "use a token of the address that was invited"],
  ])("is not accepted with %s verified address, whatever its state", async (_what, verifiedEmail, says) => {
    const { token, invitation } = await invite();
    const tries = () => accept(token, { ...INVITED, verifiedEmail });
    await expect(tries()).rejects.toMatchObject({
      reason: "insufficient_scope",
      message: expect.stringContaining(says),
    });
    await revokeInvitation(ctx(), OWNER, invitation.invitationId, ACT);
    await expect(tries()).rejects.toMatchObject({ reason: "insufficient_scope" });
  });

  test("of a member who was removed has ended for ever, also if they are a member again", async () => {
    const admin = dashboardUser({
      ...INVITED,
      userId: "cleo",
      tenantId: "ten_1",
      memberRole: "admin",
      rights: OWNER.rights,
    });
    await accept((await invite("ben@example.com", "admin")).token, admin);
    const { token } = await createInvitation(ctx(), admin, { email: "ben@example.com", role: "owner" }, ACT);
    await removeMember(ctx(), OWNER, admin, ACT);
    const tries = () => accept(token);
    await expect(tries()).rejects.toThrow("token: the invitation has ended, because the user who made it");
    await accept((await invite("ben@example.com", "admin")).token, admin);
    await expect(tries()).rejects.toMatchObject({ kind: "failed_precondition" });
    expect((await listInvitations(ctx(), OWNER, PAGE)).items.map(({ status }) => status)).toEqual([
      ...["accepted", "ended", "accepted"],
    ]);
  });

  test("is unknown by anything but its whole token", async () => {
    const { token, invitation } = await invite();
    for (const other of [token.slice(0, -1), token.slice(4), invitation.invitationId]) {
      await expect(accept(other)).rejects.toThrow("token: no such invitation; send the token whole");
    }
  });

  test("is revoked by its own organization, once, and not after its acceptance", async () => {
    const [one, other] = [await invite(), await invite()];
    const revoke = (id: string, tenantId = "ten_1") => revokeInvitation(ctx(), { ...OWNER, tenantId }, id, ACT);
    await orgs.createOrg({ orgId: "org_2", tenantId: "ten_2", name: "B" }, OWNER, "", null, ACT);
    await expect(revoke(one.invitation.invitationId, "ten_2")).rejects.toThrow("no such invitation");
    const first = await revoke(one.invitation.invitationId);
    now = new Date(START.getTime() + 5);
    expect(await revoke(one.invitation.invitationId)).toEqual(first);
    await accept(other.token);
    await expect(revoke(other.invitation.invitationId)).rejects.toThrow("remove the member instead");
  });

  test("needs an organization here", async () => {
    const caller = { ...OWNER, tenantId: "ten_other" };
    for (const call of [
      createInvitation(ctx(), caller, { email: "ben@example.com", role: "" }, ACT),
      listInvitations(ctx(), caller, PAGE),
      revokeInvitation(ctx(), caller, "ivt_1", ACT),
    ]) {
      await expect(call).rejects.toThrow("create one with orgs/create");
    }
  });
});
