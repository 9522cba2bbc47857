import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type InvitationSchema,
  InvitationStatus,
  type MemberSchema,
  type OrganizationSchema,
} from "../../gen/latchkey/v1/org_pb.ts";
import type { OrgService } from "../../gen/latchkey/v1/org_service_pb.ts";
import type { IdempotencyContext } from "../domain/idempotency/idempotently.ts";
import { type CreateOrgContext, createOrg } from "../domain/orgs/create.ts";
import type { InvitationStatus as Status } from "../domain/orgs/invitation.ts";
import {
  acceptInvitation,
  createInvitationIdempotently,
  type InvitationsContext,
  type ListedInvitation,
  listInvitations,
  previewInvitation,
  revokeInvitation,
} from "../domain/orgs/invitations.ts";
import {
  found,
  getOrg,
  listMembers,
  type RolesContext,
  removeMember,
  setMemberRole,
  switchOrg,
} from "../domain/orgs/members.ts";
import type { Member, Organization } from "../domain/orgs/org.ts";
import { checkedName } from "../domain/vocabulary/name.ts";
import { askedPage } from "../domain/vocabulary/page.ts";
import type { UnaryImpl } from "../interceptors/call.ts";
import { actOf, dashboardUser, setLogTarget, tenantOf } from "./callers.ts";
import { toTimestamp } from "./dates.ts";
import { toPlace } from "./pagination.ts";

const STATUSES: Record<Status, InvitationStatus> = {
  pending: InvitationStatus.PENDING,
  accepted: InvitationStatus.ACCEPTED,
  revoked: InvitationStatus.REVOKED,
  expired: InvitationStatus.EXPIRED,
  ended: InvitationStatus.ENDED,
};

export function createOrgService(
  ctx: CreateOrgContext & InvitationsContext & IdempotencyContext & RolesContext,
): UnaryImpl<typeof OrgService> {
  const { orgs } = ctx;
  return {
    async createOrg({ name, clientOrgId }, context) {
      const command = { name, clientOrgId: clientOrgId || null };
      const org = await createOrg(ctx, dashboardUser(context), command, actOf(context));
      setLogTarget(context, org.orgId);
      return { result: toOrg(org) };
    },
    async listOrgs(req, context) {
      const page = askedPage(req);
      const { items, total } = await orgs.listMemberships(dashboardUser(context), page);
      return {
        orgs: items.map(({ isCurrent, ...membership }) => ({ ...membership, current: isCurrent })),
        ...toPlace(page, total),
      };
    },
    getOrg: async (_req, context) => ({ result: toOrg(await getOrg(ctx, dashboardUser(context))) }),
    async updateOrg({ name }, context) {
      const org = found(await orgs.renameOrg(tenantOf(context), checkedName(name), actOf(context)));
      setLogTarget(context, org.orgId);
      return { result: toOrg(org) };
    },
    async switchOrg({ orgId }, context) {
      const { isCurrent, ...membership } = await switchOrg(ctx, dashboardUser(context), orgId, actOf(context));
      setLogTarget(context, orgId);
      return { result: { ...membership, current: isCurrent } };
    },
    async listMembers(req, context) {
      const page = askedPage(req);
      const { items, total } = await listMembers(ctx, dashboardUser(context), page);
      return { members: items.map(toMember), ...toPlace(page, total) };
    },
    async setMemberRole({ userId, issuer, role }, context) {
      const caller = dashboardUser(context);
      const user = { userId, issuer: issuer || caller.issuer };
      const { member, warning } = await setMemberRole(ctx, caller, user, role, actOf(context));
      setLogTarget(context, member.userId);
      return { result: toMember(member), ...(warning !== undefined && { warning }) };
    },
    async removeMember({ userId, issuer }, context) {
      const caller = dashboardUser(context);
      const user = { userId, issuer: issuer || caller.issuer };
      const member = await removeMember(ctx, caller, user, actOf(context));
      setLogTarget(context, member.userId);
      return { result: toMember(member) };
    },
    async createInvitation(req, context) {
      const caller = dashboardUser(context);
      const { token, ...made } = await createInvitationIdempotently(
        ctx,
        caller,
        req,
        req.clientRequestId,
        actOf(context),
      );
      setLogTarget(context, made.invitation.invitationId);
      return { result: toInvitation(made), ...(token === null ? { alreadyCreated: true } : { token }) };
    },
    async listInvitations(req, context) {
      const page = askedPage(req);
      const { items, total } = await listInvitations(ctx, dashboardUser(context), page);
      return { invitations: items.map(toInvitation), ...toPlace(page, total) };
    },
    async revokeInvitation({ invitationId }, context) {
      const invitation = await revokeInvitation(ctx, dashboardUser(context), invitationId, actOf(context));
      setLogTarget(context, invitationId);
      return { result: toInvitation({ invitation, status: "revoked" }) };
    },
    async previewInvitation({ token }, context) {
      const offer = await previewInvitation(ctx, dashboardUser(context), token);
      const { organizationName, makerEmail, invitation } = offer;
      const { role, expiresAt } = invitation;
      return { result: { organizationName, role, invitedByEmail: makerEmail, expiresAt: toTimestamp(expiresAt) } };
    },
    async acceptInvitation({ token }, context) {
      const org = await acceptInvitation(ctx, dashboardUser(context), token, actOf(context));
      setLogTarget(context, org.orgId);
      return { result: toOrg(org) };
    },
  };
}

function toOrg({ orgId, tenantId, name, createdAt }: Organization): MessageInitShape<typeof OrganizationSchema> {
  return { orgId, tenantId, name, createdAt: toTimestamp(createdAt) };
}

function toMember({ userId, issuer, role, email, createdAt }: Member): MessageInitShape<typeof MemberSchema> {
  return { userId, issuer, role, email, createdAt: toTimestamp(createdAt) };
}

function toInvitation({ invitation, status }: ListedInvitation): MessageInitShape<typeof InvitationSchema> {
  const { invitationId, email, role, createdAt, expiresAt, acceptedAt, maker } = invitation;
  return {
    invitationId,
    email,
    role,
    status: STATUSES[status],
    createdAt: toTimestamp(createdAt),
    expiresAt: toTimestamp(expiresAt),
    acceptedAt: toTimestamp(acceptedAt),
    ...(maker !== null && { createdBy: { userId: maker.userId, issuer: maker.issuer } }),
  };
}
