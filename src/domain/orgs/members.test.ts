import { beforeEach, describe, expect, test } from "vitest";
import { accessRules } from "../../../test/harness/access-rules.ts";
import { ACT } from "../../../test/harness/act.ts";
import { createMemoryOrgs } from "../../../test/harness/memory-orgs.ts";
import { dashboardUser } from "../../../test/harness/principals.ts";
import { createAuthority } from "../access/authority.ts";
import { expiryOfInvitation, hashInvitationToken, type Invitation } from "./invitation.ts";
import { getOrg, listMembers, removeMember, setMemberRole, switchOrg } from "./members.ts";
import type { OrgStore } from "./org-store.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const authority = createAuthority(accessRules());
const OWNER = dashboardUser({ userId: "anna", rights: authority.rightsOfRole("owner", "ten_1") });
const MEMBER = dashboardUser({ userId: "ben", verifiedEmail: "ben@example.com" });
const STRANGER = dashboardUser({ tenantId: "ten_other", rights: OWNER.rights });
const ORG = { orgId: "org_1", tenantId: "ten_1", name: "Acme" };
const PAGE = { page: 1, perPage: 20 };

let orgs: OrgStore;
beforeEach(async () => {
  orgs = createMemoryOrgs(() => NOW);
  await orgs.createOrg(ORG, OWNER, "", null, ACT);
  const tokenHash = hashInvitationToken("inv_1");
  const invitation: Invitation = {
    ...{ invitationId: "ivt_1", email: "ben@example.com", role: "viewer" },
    ...{ createdAt: NOW, expiresAt: expiryOfInvitation(NOW), acceptedAt: null, revokedAt: null, endedAt: null },
    maker: null,
  };
  await orgs.insertInvitation(ORG, invitation, tokenHash, ACT);
  await orgs.acceptInvitation(tokenHash, MEMBER, () => NOW, ACT);
});

const ctx = (rolesInTokens = false) => ({ orgs, authority, rolesInTokens });
const setRole = async (user: typeof OWNER, role: string) => (await setMemberRole(ctx(), OWNER, user, role, ACT)).member;

describe("the last owner", () => {
  const LAST = "make another member owner first, with orgs/members/set-role";

  test("can be neither demoted nor removed", async () => {
    await expect(setRole(OWNER, "admin")).rejects.toThrow(`user_id: the last owner cannot be demoted; ${LAST}`);
    await expect(removeMember(ctx(), OWNER, OWNER, ACT)).rejects.toThrow(
      `user_id: the last owner cannot be removed; ${LAST}`,
    );
    expect(await setRole(OWNER, "owner")).toMatchObject({ role: "owner" });
  });

  test("is one of several until the others are demoted or removed", async () => {
    await setRole(MEMBER, "owner");
    expect(await setRole(OWNER, "viewer")).toMatchObject({ userId: "anna", role: "viewer" });
    await expect(removeMember(ctx(), OWNER, MEMBER, ACT)).rejects.toThrow(LAST);
    await setRole(OWNER, "owner");
    expect(await removeMember(ctx(), OWNER, MEMBER, ACT)).toMatchObject({ userId: "ben", role: "owner" });
    await expect(setRole(OWNER, "viewer")).rejects.toThrow(LAST);
  });
});

test("a role is given by those alone who have all of its scopes", async () => {
  const limited = dashboardUser({ userId: "anna", rights: { scopes: ["org:*"], includeReserved: false } });
  await expect(setMemberRole(ctx(), limited, MEMBER, "admin", ACT)).rejects.toMatchObject({
    reason: "insufficient_scope",
  });
  await expect(setRole(MEMBER, "superuser")).rejects.toThrow("one of owner, admin, developer, viewer");
  expect(await setRole(MEMBER, "admin")).toMatchObject({ role: "admin" });
});

test("a new role has a warning only where the roles in tokens decide", async () => {
  const warningOf = async (rolesInTokens: boolean) =>
    (await setMemberRole(ctx(rolesInTokens), OWNER, MEMBER, "developer", ACT)).warning;
  expect(await warningOf(false)).toBeUndefined();
  expect(await warningOf(true)).toMatch(/keeps its roles until it expires.*ROLES_FROM_MEMBERSHIP=true/);
});

test("an unknown member, one of another issuer and one of another tenant are not found, with the same error", async () => {
  const other = dashboardUser({ ...MEMBER, issuer: "https://other.example" });
  const errors = [dashboardUser({ userId: "nobody" }), other, STRANGER].flatMap((user) => [
    setRole(user, "admin").catch(String),
    removeMember(ctx(), OWNER, user, ACT).catch(String),
  ]);
  expect(new Set(await Promise.all(errors)).size).toBe(1);
  expect(await errors[0]).toContain("orgs/members/list has them");
});

test("a tenant without an organization is answered alike by all, with the way out", async () => {
  const calls = [
    getOrg(ctx(), STRANGER),
    listMembers(ctx(), STRANGER, PAGE),
    setMemberRole(ctx(), STRANGER, MEMBER, "viewer", ACT),
    removeMember(ctx(), STRANGER, MEMBER, ACT),
  ];
  for (const call of calls) await expect(call).rejects.toThrow("create one with orgs/create");
  await expect(getOrg(ctx(), dashboardUser({ tenantId: null }))).rejects.toMatchObject({ reason: "tenant_required" });
});

test("a user switches to an organization that they are a member of", async () => {
  expect(await switchOrg(ctx(), MEMBER, "org_1", ACT)).toMatchObject({ orgId: "org_1", isCurrent: true });
  await expect(switchOrg(ctx(), STRANGER, "org_1", ACT)).rejects.toThrow("orgs/list shows yours");
  await removeMember(ctx(), OWNER, MEMBER, ACT);
  await expect(switchOrg(ctx(), MEMBER, "org_1", ACT)).rejects.toThrow("orgs/list shows yours");
});
