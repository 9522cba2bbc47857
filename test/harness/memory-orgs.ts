import type { FoundInvitation, Invitation } from "../../src/domain/orgs/invitation.ts";
import type { Member, MembershipRecord, Organization } from "../../src/domain/orgs/org.ts";
import { OWNER } from "../../src/domain/orgs/org.ts";
import type { OrgStore } from "../../src/domain/orgs/org-store.ts";
import { userStateOf } from "../../src/domain/orgs/user-state.ts";
import type { UserKey } from "../../src/domain/tokens/user-key.ts";
import type { Clock } from "../../src/domain/vocabulary/clock.ts";
import type { Page, PageRequest } from "../../src/domain/vocabulary/page.ts";

interface StoredMember {
  readonly orgId: string;
  readonly member: Member;
  readonly currentAt: number | null;
  readonly isRemoved: boolean;
}

interface StoredInvitation {
  readonly orgId: string;
  readonly invitation: Invitation;
}

/** An OrgStore in memory, for unit tests. It passes the suite of every OrgStore. */
export function createMemoryOrgs(clock: Clock): OrgStore {
  const orgs = new Map<string, Organization>();
  const requests = new Map<string, Organization>();
  const members = new Map<string, StoredMember>();
  /** By the token's hash in hex. */
  const invitations = new Map<string, StoredInvitation>();
  let turn = 0;

  const keyOf = (orgId: string, { issuer, userId }: UserKey) => JSON.stringify([orgId, issuer, userId]);
  const orgOf = (orgId: string) => [...orgs.values()].find((org) => org.orgId === orgId);
  const active = (orgId: string, user: UserKey) => {
    const stored = members.get(keyOf(orgId, user));
    return stored?.isRemoved === false ? stored : undefined;
  };
  function add(orgId: string, { issuer, userId }: UserKey, role: string, email: string): void {
    const member = { issuer, userId, role, email, createdAt: clock() };
    members.set(keyOf(orgId, member), { orgId, member, currentAt: ++turn, isRemoved: false });
  }
  const found = (orgId: string, invitation: Invitation): FoundInvitation => {
    const { maker } = invitation;
    const stored = maker === null ? undefined : members.get(keyOf(orgId, maker));
    if (stored === undefined) return { ...invitation, makerState: { kind: "stranger" } };
    const { role } = stored.member;
    return { ...invitation, makerState: stored.isRemoved ? { kind: "removed" } : { kind: "member", role } };
  };
  function endInvitationsOf(orgId: string, { issuer, userId }: UserKey): void {
    for (const [hash, { orgId: of, invitation }] of invitations) {
      const { maker, acceptedAt, revokedAt, endedAt } = invitation;
      if (of !== orgId || maker?.userId !== userId || maker.issuer !== issuer) continue;
      if ((acceptedAt ?? revokedAt ?? endedAt) !== null) continue;
      invitations.set(hash, { orgId, invitation: { ...invitation, endedAt: clock() } });
    }
  }
  const recordsOf = (userId: string) => {
    const own = [...members.values()].filter(({ member }) => member.userId === userId);
    const memberships = own.flatMap(({ orgId, member, currentAt, isRemoved }): MembershipRecord[] => {
      const org = orgOf(orgId);
      return org === undefined
        ? []
        : [{ ...org, issuer: member.issuer, role: member.role, currentAtMs: currentAt, isRemoved }];
    });
    return { memberships: memberships.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
  };

  return {
    findMemberships: async (userId) => recordsOf(userId),
    async createOrg({ orgId, tenantId, name }, owner, email, clientOrgId) {
      const request = JSON.stringify([owner.issuer, owner.userId, clientOrgId]);
      const first = clientOrgId === null ? undefined : requests.get(request);
      if (first !== undefined) return orgs.get(first.tenantId) ?? first;
      if (orgs.has(tenantId)) throw new Error("the tenant has an organization");
      const org = { orgId, tenantId, name, createdAt: clock() };
      orgs.set(tenantId, org);
      if (clientOrgId !== null) requests.set(request, org);
      add(orgId, owner, OWNER, email);
      return org;
    },
    findOrg: async (tenantId) => orgs.get(tenantId),
    async renameOrg(tenantId, name) {
      const org = orgs.get(tenantId);
      if (org !== undefined) orgs.set(tenantId, { ...org, name });
      return orgs.get(tenantId);
    },
    listMemberships: async (user, page) => pageOf(userStateOf(recordsOf(user.userId), user.issuer).memberships, page),
    async switchOrg(user, orgId) {
      const [stored, org] = [active(orgId, user), orgOf(orgId)];
      if (stored === undefined || org === undefined) return undefined;
      members.set(keyOf(orgId, user), { ...stored, currentAt: ++turn });
      return { orgId, tenantId: org.tenantId, name: org.name, role: stored.member.role, isCurrent: true };
    },
    async listMembers(tenantId, page) {
      const listed = [...members.values()].filter((one) => one.orgId === orgs.get(tenantId)?.orgId && !one.isRemoved);
      return pageOf(
        listed.map(({ member }) => member),
        page,
      );
    },
    async changeMember(tenantId, user, decide) {
      const orgId = orgs.get(tenantId)?.orgId ?? "";
      const stored = active(orgId, user);
      if (stored === undefined) return undefined;
      const all = [...members.values()].filter((one) => one.orgId === orgId && !one.isRemoved);
      const change = decide(stored.member, all.filter(({ member }) => member.role === OWNER).length);
      const member = change.kind === "role" ? { ...stored.member, role: change.role } : stored.member;
      members.set(keyOf(orgId, user), { ...stored, member, isRemoved: change.kind === "remove" });
      if (change.kind === "remove") endInvitationsOf(orgId, stored.member);
      return member;
    },
    async insertInvitation({ orgId }, invitation, tokenHash) {
      invitations.set(Buffer.from(tokenHash).toString("hex"), { orgId, invitation });
    },
    async findInvitation({ orgId }, invitationId) {
      const own = [...invitations.values()].find((one) => one.invitation.invitationId === invitationId);
      return own?.orgId === orgId ? found(orgId, own.invitation) : undefined;
    },
    async listInvitations({ orgId }, page) {
      const own = [...invitations.values()].filter((one) => one.orgId === orgId).toReversed();
      return pageOf(
        own.map(({ invitation }) => found(orgId, invitation)),
        page,
      );
    },
    async revokeInvitation({ orgId }, invitationId, decide) {
      for (const [hash, stored] of invitations) {
        if (stored.orgId !== orgId || stored.invitation.invitationId !== invitationId) continue;
        const revokedAt = decide(stored.invitation);
        const invitation = { ...stored.invitation, revokedAt: stored.invitation.revokedAt ?? revokedAt };
        invitations.set(hash, { orgId, invitation });
        return invitation;
      }
      return undefined;
    },
    async findOffer(tokenHash, user) {
      const stored = invitations.get(Buffer.from(tokenHash).toString("hex"));
      const org = stored && orgOf(stored.orgId);
      if (stored === undefined || org === undefined) return undefined;
      const { orgId, invitation } = stored;
      const isMember = active(orgId, user) !== undefined;
      return {
        invitation: found(orgId, invitation),
        organizationName: org.name,
        makerEmail: (invitation.maker && active(orgId, invitation.maker)?.member.email) ?? "",
        facts: { tenantId: org.tenantId, isMember, isSuspended: false },
      };
    },
    async acceptInvitation(tokenHash, user, decide) {
      const hash = Buffer.from(tokenHash).toString("hex");
      const stored = invitations.get(hash);
      if (stored === undefined) return undefined;
      const { orgId, invitation } = stored;
      const isMember = active(orgId, user) !== undefined;
      const tenantId = orgOf(orgId)?.tenantId ?? "";
      const acceptedAt = decide(found(orgId, invitation), { tenantId, isMember, isSuspended: false });
      invitations.set(hash, { orgId, invitation: { ...invitation, acceptedAt } });
      add(orgId, user, invitation.role, invitation.email);
      return orgOf(orgId);
    },
  };
}

function pageOf<Item>(items: readonly Item[], { page, perPage }: PageRequest): Page<Item> {
  return { items: items.slice((page - 1) * perPage, page * perPage), total: items.length };
}
