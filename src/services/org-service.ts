import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type InvitationSchema,
  InvitationStatus,
  type MemberSchema,
  type OrganizationSchema,
} from "../../gen/latchkey/v1/org_pb.ts";
import type { OrgService } from "../../gen/latchkey/v1/org_service_pb.ts";
import { checkedName } from "../domain/name.ts";
import { type CreateOrgContext, createOrg } from "../domain/orgs/create.ts";
import { type Invitation, invitationStatus, type InvitationStatus as Status } from "../domain/orgs/invitation.ts";
import {
  acceptInvitation,
  createInvitation,
  type InvitationsContext,
  listInvitations,
  revokeInvitation,
} from "../domain/orgs/invitations.ts";
import { found, getOrg, listMembers, removeMember, setMemberRole, switchOrg } from "../domain/orgs/members.ts";
import type { Member, Organization } from "../domain/orgs/org.ts";
import { pageRequest } from "../domain/page.ts";
import type { UnaryImpl } from "../interceptors/call.ts";
import { dashboardUser, tenantOf } from "./callers.ts";
import { toTimestamp } from "./dates.ts";
import { toPagination } from "./pagination.ts";

const STATUSES: Record<Status, InvitationStatus> = {
  pending: InvitationStatus.PENDING,
  accepted: InvitationStatus.ACCEPTED,
  revoked: InvitationStatus.REVOKED,
  expired: InvitationStatus.EXPIRED,
};

export function createOrgService(ctx: CreateOrgContext & InvitationsContext): UnaryImpl<typeof OrgService> {
  const { orgs, clock } = ctx;
  return {
    async createOrg({ name, clientOrgId }, context) {
      const command = { name, clientOrgId: clientOrgId || null };
      return { result: toOrg(await createOrg(ctx, dashboardUser(context), command)) };
    },
    async listOrgs(req, context) {
      const page = pageRequest(req.page, req.perPage);
      const { items, total } = await orgs.listMemberships(dashboardUser(context), page);
      return {
        orgs: items.map(({ isCurrent, ...membership }) => ({ ...membership, current: isCurrent })),
        pagination: toPagination(page, total),
      };
    },
    getOrg: async (_req, context) => ({ result: toOrg(await getOrg(ctx, dashboardUser(context))) }),
    updateOrg: async ({ name }, context) => ({
      result: toOrg(found(await orgs.renameOrg(tenantOf(context), checkedName(name)))),
    }),
    async switchOrg({ orgId }, context) {
      const { isCurrent, ...membership } = await switchOrg(ctx, dashboardUser(context), orgId);
      return { result: { ...membership, current: isCurrent } };
    },
    async listMembers(req, context) {
      const page = pageRequest(req.page, req.perPage);
      const { items, total } = await listMembers(ctx, dashboardUser(context), page);
      return { members: items.map(toMember), pagination: toPagination(page, total) };
    },
    async setMemberRole({ userId, issuer, role }, context) {
      const caller = dashboardUser(context);
      const user = { userId, issuer: issuer || caller.issuer };
      return { result: toMember(await setMemberRole(ctx, caller, user, role)) };
    },
    async removeMember({ userId, issuer }, context) {
      const caller = dashboardUser(context);
      return { result: toMember(await removeMember(ctx, caller, { userId, issuer: issuer || caller.issuer })) };
    },
    async createInvitation({ email, role }, context) {
      const { invitation, token } = await createInvitation(ctx, dashboardUser(context), { email, role });
      return { result: toInvitation(invitation, clock()), token };
    },
    async listInvitations(req, context) {
      const page = pageRequest(req.page, req.perPage);
      const now = clock();
      const { items, total } = await listInvitations(ctx, dashboardUser(context), page);
      return {
        invitations: items.map((invitation) => toInvitation(invitation, now)),
        pagination: toPagination(page, total),
      };
    },
    async revokeInvitation({ invitationId }, context) {
      return { result: toInvitation(await revokeInvitation(ctx, dashboardUser(context), invitationId), clock()) };
    },
    acceptInvitation: async ({ token }, context) => ({
      result: toOrg(await acceptInvitation(ctx, dashboardUser(context), token)),
    }),
  };
}

function toOrg({ orgId, tenantId, name, createdAt }: Organization): MessageInitShape<typeof OrganizationSchema> {
  return { orgId, tenantId, name, createdAt: toTimestamp(createdAt) };
}

function toMember({ userId, issuer, role, email, createdAt }: Member): MessageInitShape<typeof MemberSchema> {
  return { userId, issuer, role, email, createdAt: toTimestamp(createdAt) };
}

function toInvitation(invitation: Invitation, now: Date): MessageInitShape<typeof InvitationSchema> {
  const { invitationId, email, role, createdAt, expiresAt, acceptedAt } = invitation;
  return {
    invitationId,
    email,
    role,
    status: STATUSES[invitationStatus(invitation, now)],
    createdAt: toTimestamp(createdAt),
    expiresAt: toTimestamp(expiresAt),
    acceptedAt: toTimestamp(acceptedAt),
  };
}
