import {
  type Invitation,
  InvitationStatus,
  type Member,
  type Membership,
} from "../../../clients/typescript/src/gen/latchkey/v1/org_pb.ts";
import type { Organization } from "../../../clients/typescript/src/index.ts";
import type { Column } from "../output/column.ts";
import { instant, toneOf, word, yesOrNo } from "../output/values.ts";

export const ORG: readonly Column<Organization>[] = [
  { name: "org_id", text: ({ orgId }) => orgId },
  { name: "tenant_id", text: ({ tenantId }) => tenantId },
  { name: "name", text: ({ name }) => name, shrinks: true },
  { name: "created_at", text: ({ createdAt }) => instant(createdAt) },
];

export const MEMBERSHIP: readonly Column<Membership>[] = [
  { name: "org_id", text: ({ orgId }) => orgId },
  { name: "tenant_id", text: ({ tenantId }) => tenantId },
  { name: "name", text: ({ name }) => name, shrinks: true },
  { name: "role", text: ({ role }) => role },
  { name: "current", text: ({ current }) => yesOrNo(current), tone: ({ current }) => (current ? "good" : undefined) },
];

export const MEMBER: readonly Column<Member>[] = [
  { name: "user_id", text: ({ userId }) => userId },
  { name: "role", text: ({ role }) => role },
  { name: "email", text: ({ email }) => email, shrinks: true },
  { name: "issuer", text: ({ issuer }) => issuer, shrinks: true },
  { name: "created_at", text: ({ createdAt }) => instant(createdAt) },
];

const status = (invitation: Invitation): string => word(InvitationStatus, invitation.status);

export const INVITATION: readonly Column<Invitation>[] = [
  { name: "invitation_id", text: ({ invitationId }) => invitationId },
  { name: "email", text: ({ email }) => email, shrinks: true },
  { name: "role", text: ({ role }) => role },
  { name: "status", text: status, tone: (invitation) => toneOf(status(invitation)) },
  { name: "expires_at", text: ({ expiresAt }) => instant(expiresAt) },
  { name: "created_at", text: ({ createdAt }) => instant(createdAt), onlyInRecord: true },
  { name: "created_by", text: ({ createdBy }) => createdBy?.userId ?? "", onlyInRecord: true },
  { name: "accepted_at", text: ({ acceptedAt }) => instant(acceptedAt), onlyInRecord: true },
];
