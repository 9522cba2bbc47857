// promise: orgs.members, invitations.maker
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { NewOrganization } from "../../src/domain/orgs/org.ts";
import type { OrgStore } from "../../src/domain/orgs/org-store.ts";
import { userStateOf } from "../../src/domain/orgs/user-state.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { ACT } from "../harness/act.ts";
import { later, NOW, newInvitation } from "./records.ts";

const STRANGER = { kind: "stranger" } as const;

const ISSUER = "https://login.example";
const PAGE = { page: 1, perPage: 20 };

/** What every OrgStore promises. Its clock stands at `NOW`. */
export function orgStoreSuite(name: string, open: () => Promise<OrgStore>): void {
  describe(`organizations in ${name}`, () => {
    let orgs: OrgStore;
    beforeAll(async () => {
      orgs = await open();
    });

    const newOrg = () => ({ orgId: newId("org"), tenantId: newId("ten"), name: "Acme" });
    const newUser = () => ({ issuer: ISSUER, userId: newId("org"), verifiedEmail: "ben@example.com" });

    async function createOrg(owner = newUser()) {
      const org = await orgs.createOrg(newOrg(), owner, owner.verifiedEmail, null, ACT);
      return { org, owner };
    }

    /** Adds a new user to an organization. */
    async function addMember(org: NewOrganization, user = newUser(), role = "developer") {
      const tokenHash = randomBytes(32);
      await orgs.insertInvitation(org, newInvitation({ role }), tokenHash, ACT);
      await orgs.acceptInvitation(tokenHash, user, () => NOW, ACT);
      return user;
    }

    test("an organization is stored as given, with the storage's time of creation and its owner", async () => {
      const [org, owner] = [newOrg(), newUser()];
      const stored = { ...org, createdAt: NOW };
      expect(await orgs.createOrg(org, owner, "anna@example.com", null, ACT)).toEqual(stored);
      expect(await orgs.findOrg(org.tenantId)).toEqual(stored);
      expect(await orgs.findOrg(newId("ten"))).toBeUndefined();
      const { issuer, userId } = owner;
      const member = { issuer, userId, role: "owner", email: "anna@example.com", createdAt: NOW };
      expect(await orgs.listMembers(org.tenantId, PAGE)).toEqual({ items: [member], total: 1 });
    });

    test("one user may own many organizations of one name", async () => {
      const { owner } = await createOrg();
      await createOrg(owner);
      expect((await orgs.listMemberships(owner, PAGE)).total).toBe(2);
    });

    test("a tenant belongs to one organization, and a rejected one leaves no rows", async () => {
      const { org } = await createOrg();
      const thief = { ...newOrg(), tenantId: org.tenantId };
      const owner = newUser();
      await expect(orgs.createOrg(thief, owner, "", "again", ACT)).rejects.toThrow();
      expect(await orgs.createOrg({ ...thief, tenantId: newId("ten") }, owner, "", "again", ACT)).toMatchObject({
        orgId: thief.orgId,
      });
    });

    test("a name of the user's own makes one organization, also at once, and is of that user alone", async () => {
      const owner = newUser();
      const create = (issuer = ISSUER) => orgs.createOrg(newOrg(), { ...owner, issuer }, "", "mine", ACT);
      const [first, ...others] = await Promise.all([create(), create(), create()]);
      for (const other of [...others, await create()]) expect(other).toEqual(first);
      expect((await orgs.listMemberships(owner, PAGE)).total).toBe(1);
      expect((await create("https://other.example")).orgId).not.toBe(first?.orgId);
    });

    test("an organization is renamed", async () => {
      const { org, owner } = await createOrg();
      expect(await orgs.renameOrg(org.tenantId, "Other", ACT)).toEqual({ ...org, name: "Other" });
      expect((await orgs.listMemberships(owner, PAGE)).items).toMatchObject([{ name: "Other" }]);
      expect(await orgs.renameOrg(newId("ten"), "Other", ACT)).toBeUndefined();
    });

    test("memberships are in the order of their names, by pages, of the user of this issuer alone", async () => {
      const owner = newUser();
      const { issuer, userId } = owner;
      for (const name of ["C", "A", "B"]) await orgs.createOrg({ ...newOrg(), name }, owner, "", null, ACT);
      const names = async (page: number) => {
        const { items, total } = await orgs.listMemberships({ issuer, userId }, { page, perPage: 2 });
        return [items.map(({ name }) => name).join(), total];
      };
      expect(await names(1)).toEqual(["A,B", 3]);
      expect(await names(2)).toEqual(["C", 3]);
      expect(await orgs.listMemberships({ issuer: "https://other.example", userId }, PAGE)).toEqual({
        items: [],
        total: 0,
      });
    });

    test("a member switches to one of their organizations, and to no other", async () => {
      const { org, owner } = await createOrg();
      expect(await orgs.switchOrg(owner, org.orgId, ACT)).toMatchObject({
        orgId: org.orgId,
        isCurrent: true,
        role: "owner",
      });
      expect(await orgs.switchOrg(newUser(), org.orgId, ACT)).toBeUndefined();
      expect(await orgs.switchOrg({ ...owner, issuer: "https://other.example" }, org.orgId, ACT)).toBeUndefined();
      expect(await orgs.switchOrg(owner, newId("org"), ACT)).toBeUndefined();
    });

    test("a member's role is changed, and they are removed, with the number of owners at hand", async () => {
      const { org, owner } = await createOrg();
      const user = await addMember(org);
      const seen: unknown[] = [];
      const change = (decided: Parameters<OrgStore["changeMember"]>[2]) =>
        orgs.changeMember(
          org.tenantId,
          user,
          (member, owners) => {
            seen.push([member.role, owners]);
            return decided(member, owners);
          },
          ACT,
        );
      expect(await change(() => ({ kind: "role", role: "owner" }))).toMatchObject({ role: "owner" });
      expect(await change(() => ({ kind: "remove" }))).toMatchObject({ userId: user.userId, role: "owner" });
      expect(seen).toEqual([
        ["developer", 1],
        ["owner", 2],
      ]);
      expect(await change(() => ({ kind: "remove" }))).toBeUndefined();
      expect(await orgs.switchOrg(user, org.orgId, ACT)).toBeUndefined();
      const state = userStateOf(await orgs.findMemberships(user.userId), ISSUER);
      expect([state.memberships, state.wasRemovedFrom(org.tenantId)]).toEqual([[], true]);
      expect((await orgs.listMembers(org.tenantId, PAGE)).items.map(({ userId }) => userId)).toEqual([owner.userId]);
    });

    test("what is decided against changes nothing, and neither does another tenant or issuer", async () => {
      const { org, owner } = await createOrg();
      const refuse = () => {
        throw new Error("no");
      };
      await expect(orgs.changeMember(org.tenantId, owner, refuse, ACT)).rejects.toThrow("no");
      expect(await orgs.changeMember(newId("ten"), owner, refuse, ACT)).toBeUndefined();
      expect(await orgs.changeMember((await createOrg()).org.tenantId, owner, refuse, ACT)).toBeUndefined();
      const other = { ...owner, issuer: "https://other.example" };
      expect(await orgs.changeMember(org.tenantId, other, refuse, ACT)).toBeUndefined();
      expect((await orgs.listMembers(org.tenantId, PAGE)).items).toMatchObject([{ role: "owner" }]);
    });

    test("changes at once of two members see each other's", async () => {
      const { org, owner } = await createOrg();
      const second = await addMember(org, newUser(), "owner");
      const demote = (user: typeof owner) =>
        orgs.changeMember(
          org.tenantId,
          user,
          (_member, owners) => {
            if (owners === 1) throw new Error("the last one");
            return { kind: "role", role: "viewer" };
          },
          ACT,
        );
      const outcomes = await Promise.allSettled([demote(owner), demote(second)]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    });

    test("invitations are listed newest first, of their organization alone", async () => {
      const [{ org }, { org: other }] = [await createOrg(), await createOrg()];
      const invitations = [newInvitation(), newInvitation({ createdAt: later(-1) }), newInvitation()];
      for (const invitation of invitations) await orgs.insertInvitation(org, invitation, randomBytes(32), ACT);
      const listed = invitations.map((invitation) => ({ ...invitation, makerState: STRANGER }));
      expect(await orgs.listInvitations(org, PAGE)).toEqual({ items: listed.toReversed(), total: 3 });
      expect((await orgs.listInvitations(org, { page: 2, perPage: 2 })).items).toEqual(listed.slice(0, 1));
      expect(await orgs.listInvitations(other, PAGE)).toEqual({ items: [], total: 0 });
    });

    test("an invitation is revoked once, by its own organization", async () => {
      const [{ org }, { org: other }] = [await createOrg(), await createOrg()];
      const invitation = newInvitation();
      const { invitationId } = invitation;
      await orgs.insertInvitation(org, invitation, randomBytes(32), ACT);
      const revoke = (of: NewOrganization, ms: number) => orgs.revokeInvitation(of, invitationId, () => later(ms), ACT);
      expect(await revoke(other, 1)).toBeUndefined();
      const revoked = { ...invitation, revokedAt: later(2) };
      expect(await revoke(org, 2)).toEqual(revoked);
      expect(await revoke(org, 3)).toEqual(revoked);
      expect((await orgs.listInvitations(org, PAGE)).items).toEqual([{ ...revoked, makerState: STRANGER }]);
    });

    test("an invitation has its maker as they are now, by issuer and id, and ends with the removal of this maker alone", async () => {
      const { org, owner } = await createOrg();
      const user = await addMember(org);
      const makers = [
        { ...owner, role: "owner" },
        { ...user, role: "developer" },
        { ...user, issuer: "https://other.example", role: null },
      ].map(({ issuer, userId, role }) => ({ issuer, userId, role }));
      for (const maker of makers) await orgs.insertInvitation(org, newInvitation({ maker }), randomBytes(32), ACT);
      const listed = async () =>
        (await orgs.listInvitations(org, PAGE)).items
          .slice(0, makers.length)
          .map(({ maker, makerState, endedAt }) => ({ maker, makerState, endedAt }))
          .toReversed();
      const [ofOwner, ofUser, ofOther] = makers;
      const member = (role: string) => ({ makerState: { kind: "member", role }, endedAt: null });
      expect(await listed()).toEqual([
        { maker: ofOwner, ...member("owner") },
        { maker: ofUser, ...member("developer") },
        { maker: ofOther, makerState: STRANGER, endedAt: null },
      ]);
      await orgs.changeMember(org.tenantId, user, () => ({ kind: "role", role: "viewer" }), ACT);
      expect((await listed())[1]).toEqual({ maker: ofUser, ...member("viewer") });
      await orgs.changeMember(org.tenantId, user, () => ({ kind: "remove" }), ACT);
      expect((await listed())[1]).toEqual({ maker: ofUser, makerState: { kind: "removed" }, endedAt: NOW });
      await addMember(org, user, "admin");
      const after = (await orgs.listInvitations(org, PAGE)).items.find(
        ({ maker }) => maker?.userId === user.userId && maker.issuer === ISSUER,
      );
      expect(after).toMatchObject({ makerState: { kind: "member", role: "admin" }, endedAt: NOW });
      const others = (await orgs.listInvitations(org, PAGE)).items.filter(
        ({ maker }) => maker?.issuer !== ISSUER || maker.userId === owner.userId,
      );
      expect(others.map(({ endedAt }) => endedAt)).toEqual(others.map(() => null));
    });

    test("an invitation is found by the hash of its token, and accepted under its lock", async () => {
      const { org } = await createOrg();
      const [invitation, tokenHash, user] = [newInvitation({ role: "admin" }), randomBytes(32), newUser()];
      await orgs.insertInvitation(org, invitation, tokenHash, ACT);
      expect(await orgs.acceptInvitation(randomBytes(32), user, () => NOW, ACT)).toBeUndefined();
      const accept = () =>
        orgs.acceptInvitation(
          tokenHash,
          user,
          ({ acceptedAt }, { isMember }) => {
            if (acceptedAt !== null) throw new Error(`used, ${isMember}`);
            return later(5);
          },
          ACT,
        );
      const outcomes = await Promise.allSettled([accept(), accept()]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(outcomes).toContainEqual({ status: "fulfilled", value: org });
      expect(outcomes).toContainEqual({ status: "rejected", reason: new Error("used, true") });
      expect((await orgs.listInvitations(org, PAGE)).items).toMatchObject([{ ...invitation, acceptedAt: later(5) }]);
      expect((await orgs.listMemberships(user, PAGE)).items).toMatchObject([{ role: "admin", isCurrent: true }]);
    });

    test("a user who was removed becomes a member again, with the role of the new invitation", async () => {
      const { org } = await createOrg();
      const user = await addMember(org);
      await orgs.changeMember(org.tenantId, user, () => ({ kind: "remove" }), ACT);
      await addMember(org, user, "viewer");
      const state = userStateOf(await orgs.findMemberships(user.userId), ISSUER);
      expect(state.memberships).toMatchObject([{ role: "viewer" }]);
      expect(state.wasRemovedFrom(org.tenantId)).toBe(false);
    });

    test("memberships of many users are read at once, also those of nobody", async () => {
      const [one, other] = [await createOrg(), await createOrg()];
      const ids = [one.owner.userId, newId("org"), other.owner.userId, one.owner.userId];
      const found = await Promise.all(ids.map((id) => orgs.findMemberships(id)));
      const tenants = found.map(({ memberships }) => memberships.map(({ tenantId }) => tenantId).join());
      expect(tenants).toEqual([one.org.tenantId, "", other.org.tenantId, one.org.tenantId]);
    });
  });
}
