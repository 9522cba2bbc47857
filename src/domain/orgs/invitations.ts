import type { Authority } from "../access/authority.ts";
import { requireTenant } from "../access/authorize.ts";
import { requireRole, roleGrants } from "../access/grant.ts";
import type { DashboardUser } from "../access/principal.ts";
import type { Act } from "../audit/event.ts";
import { type IdempotentCall, idempotentCall } from "../idempotency/idempotent-call.ts";
import { type IdempotencyContext, idempotently } from "../idempotency/idempotently.ts";
import type { Clock } from "../vocabulary/clock.ts";
import { Denial } from "../vocabulary/denial.ts";
import { newId } from "../vocabulary/ids.ts";
import type { Page, PageRequest } from "../vocabulary/page.ts";
import { faultOf, type RequestFault } from "../vocabulary/request-fault.ts";
import { checkedEmail } from "./email.ts";
import {
  drawInvitationToken,
  expiryOfInvitation,
  type FoundInvitation,
  hashInvitationToken,
  type Invitation,
  type InvitationMaker,
  type InvitationStatus,
  invitationStatus,
} from "./invitation.ts";
import { found, type MembersContext } from "./members.ts";
import type { Organization } from "./org.ts";
import type { AcceptanceFacts, DecideAcceptance, InvitationOffer } from "./org-store.ts";

export interface InvitationsContext extends MembersContext {
  readonly clock: Clock;
}

const ROLE_DEFAULT = "viewer";
/** The actions that need a pending invitation. */
const ENDED = {
  accepted: ["invitation_accepted", "was accepted already"],
  revoked: ["invitation_revoked", "was revoked; ask for another one"],
  expired: ["invitation_expired", "has expired; ask for another one"],
  ended: [
    "invitation_ended",
    "has ended, because the user who made it may no longer give its role; ask for another one",
  ],
} as const;

/** An invitation, and the token that a call has made for it. Null: the same call has made it before, and returned it then. */
export interface HandedInvitation extends ListedInvitation {
  readonly token: string | null;
}

/** Whom to invite, as the caller describes it. */
export interface InvitationCommand {
  readonly email: string;
  readonly role: string;
}

/** As `createInvitation`; with `clientRequestId` a repeated call returns the first one's invitation. */
export function createInvitationIdempotently(
  ctx: InvitationsContext & IdempotencyContext,
  caller: DashboardUser,
  command: InvitationCommand,
  clientRequestId: string,
  act: Act,
): Promise<HandedInvitation> {
  const tenantId = requireTenant(caller);
  const content = { email: checkedEmail(command.email), role: command.role || ROLE_DEFAULT };
  const call = idempotentCall(clientRequestId, tenantId, act, "createInvitation", content);
  return idempotently<HandedInvitation, HandedInvitation>(
    ctx,
    call,
    async () => ({ ...(await createInvitation(ctx, caller, command, act, call)), status: "pending" }),
    async (invitationId) => {
      const invitation = await ctx.orgs.findInvitation(found(await ctx.orgs.findOrg(tenantId)), invitationId);
      if (invitation === undefined) throw invitationNotFound();
      return { ...listed(ctx, tenantId, invitation), token: null };
    },
  );
}

/** Invites a user to the caller's organization. Returns the token, which is not kept. */
export async function createInvitation(
  { orgs, authority, clock }: InvitationsContext,
  caller: DashboardUser,
  command: InvitationCommand,
  act: Act,
  call?: IdempotentCall,
): Promise<{ readonly invitation: Invitation; readonly token: string }> {
  const tenantId = requireTenant(caller);
  const email = checkedEmail(command.email);
  const role = command.role || ROLE_DEFAULT;
  requireRole(authority, caller, tenantId, role);
  const org = found(await orgs.findOrg(tenantId));
  const token = drawInvitationToken();
  const now = clock();
  const invitation: Invitation = {
    invitationId: newId("ivt"),
    email,
    role,
    createdAt: now,
    expiresAt: expiryOfInvitation(now),
    acceptedAt: null,
    revokedAt: null,
    endedAt: null,
    maker: makerOf(authority, caller, tenantId, role),
  };
  await orgs.insertInvitation(org, invitation, hashInvitationToken(token), act, call);
  return { invitation, token };
}

/** Also where the roles in tokens decide: a member who is demoted loses what they have invited to. */
function makerOf(authority: Authority, caller: DashboardUser, tenantId: string, role: string): InvitationMaker {
  const { issuer, userId, memberRole } = caller;
  const isGranted = memberRole !== null && roleGrants(authority, tenantId, memberRole, role);
  return { issuer, userId, role: isGranted ? memberRole : null };
}

/** An invitation with its status as of now. */
export interface ListedInvitation {
  readonly invitation: Invitation;
  readonly status: InvitationStatus;
}

export async function listInvitations(
  ctx: InvitationsContext,
  caller: DashboardUser,
  page: PageRequest,
): Promise<Page<ListedInvitation>> {
  const org = found(await ctx.orgs.findOrg(requireTenant(caller)));
  const { items, total } = await ctx.orgs.listInvitations(org, page);
  return { items: items.map((invitation) => listed(ctx, org.tenantId, invitation)), total };
}

function listed(
  { authority, clock }: InvitationsContext,
  tenantId: string,
  invitation: FoundInvitation,
): ListedInvitation {
  const grants = roleGrants.bind(undefined, authority, tenantId);
  return { invitation, status: invitationStatus(invitation, clock(), grants) };
}

/** Ends an invitation. A second time changes nothing. */
export async function revokeInvitation(
  { orgs, clock }: InvitationsContext,
  caller: DashboardUser,
  invitationId: string,
  act: Act,
): Promise<Invitation> {
  const org = found(await orgs.findOrg(requireTenant(caller)));
  const now = clock();
  const decide = (current: Invitation): Date => {
    if (current.acceptedAt === null) return now;
    throw faultOf(
      "invitation_accepted",
      "invitation_id",
      "the invitation was accepted already; remove the member instead",
    );
  };
  const invitation = await orgs.revokeInvitation(org, invitationId, decide, act);
  if (invitation !== undefined) return invitation;
  throw invitationNotFound();
}

function invitationNotFound(): RequestFault {
  return faultOf("invitation_not_found", "invitation_id", "no such invitation; orgs/invitations/list has them");
}

/** To what an invitation invites the caller. Throws what its acceptance would throw. */
export async function previewInvitation(
  ctx: InvitationsContext,
  caller: DashboardUser,
  token: string,
): Promise<InvitationOffer> {
  const offer = await ctx.orgs.findOffer(hashInvitationToken(token), caller);
  if (offer === undefined) throw noInvitation();
  requireAcceptable(ctx, caller, offer.invitation, offer.facts);
  return offer;
}

/** Makes the caller a member of the organization that invited their verified email address. */
export async function acceptInvitation(
  ctx: InvitationsContext,
  caller: DashboardUser,
  token: string,
  act: Act,
): Promise<Organization> {
  const decide: DecideAcceptance = (invitation, facts) => requireAcceptable(ctx, caller, invitation, facts);
  const org = await ctx.orgs.acceptInvitation(hashInvitationToken(token), caller, decide, act);
  if (org === undefined) throw noInvitation();
  return org;
}

/** Returns the instant of the decision. The address comes first: others must not learn the state. */
function requireAcceptable(
  { authority, clock }: InvitationsContext,
  caller: DashboardUser,
  invitation: FoundInvitation,
  { tenantId, isMember, isSuspended }: AcceptanceFacts,
): Date {
  const now = clock();
  const status = invitationStatus(invitation, now, roleGrants.bind(undefined, authority, tenantId));
  if (invitation.email !== caller.verifiedEmail) throw wrongAddress(caller);
  if (status !== "pending") {
    const [reason, problem] = ENDED[status];
    throw faultOf(reason, "token", `the invitation ${problem}`);
  }
  if (isSuspended) throw suspended();
  if (isMember) throw faultOf("already_member", "token", "you are a member of this organization already");
  return now;
}

function noInvitation(): RequestFault {
  return faultOf("invitation_not_found", "token", "no such invitation; send the token whole, as its creator got it");
}

function suspended(): Denial {
  return new Denial("tenant_suspended", {
    message:
      "The tenant of the organization that invited this user is suspended; have the operator of this service resume it.",
  });
}

function wrongAddress({ verifiedEmail }: DashboardUser): Denial {
  return new Denial("insufficient_scope", {
    message:
      verifiedEmail === null
        ? "An invitation is for a verified email address, and this token has none; use one with email, and email_verified true."
        : "This invitation is for another email address than that of this token; use a token of the address that was invited.",
  });
}
