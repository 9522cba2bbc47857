import type { Act } from "../audit/event.ts";
import type { IdempotentCall } from "../idempotency/idempotent-call.ts";
import type { UserKey } from "../tokens/user-key.ts";
import type { Awaitable } from "../vocabulary/awaitable.ts";
import type { Page, PageRequest } from "../vocabulary/page.ts";
import type { FoundInvitation, Invitation } from "./invitation.ts";
import type { Member, Membership, MembershipRecords, NewOrganization, Organization } from "./org.ts";

/** Reads the memberships of users. May throw `StoreUnavailable`. */
export interface Memberships {
  /** Of the users of this id, whatever their issuer. A change that was acknowledged before the call is always visible. */
  findMemberships(userId: string): Awaitable<MembershipRecords>;
}

/**
 * Organizations, their members and invitations. Timestamps of organizations and members come from the storage's clock.
 * A change of a membership resolves when it binds on every replica. Every change records its `act` in the audit trail in
 * the same transaction. Every method may throw `StoreUnavailable`.
 */
export interface OrgStore extends Memberships {
  /**
   * Stores an organization with its first owner, whose current one it becomes. Returns that of an earlier call of this user
   * with this `clientOrgId` instead, whatever its name, and then stores nothing. Throws `tooManyOrgs`.
   */
  createOrg(
    org: NewOrganization,
    owner: UserKey,
    email: string,
    clientOrgId: string | null,
    act: Act,
  ): Promise<Organization>;
  findOrg(tenantId: string): Promise<Organization | undefined>;
  renameOrg(tenantId: string, name: string, act: Act): Promise<Organization | undefined>;
  /** By name. */
  listMemberships(user: UserKey, page: PageRequest): Promise<Page<Membership>>;
  /** Undefined: the user is not a member of such an organization. */
  switchOrg(user: UserKey, orgId: string, act: Act): Promise<Membership | undefined>;
  /** The oldest first. */
  listMembers(tenantId: string, page: PageRequest): Promise<Page<Member>>;
  /**
   * Changes a member as `decide` says, under the lock of the organization. A removal ends the invitations that the member has
   * made. Returns the member as changed, or as they were before a removal; undefined if the tenant has no such member.
   */
  changeMember(tenantId: string, user: UserKey, decide: DecideMember, act: Act): Promise<Member | undefined>;
  /** Throws `tooManyInvitations`, and `IdempotentReplay` if the same call has made one before. */
  insertInvitation(
    org: NewOrganization,
    invitation: Invitation,
    tokenHash: Uint8Array,
    act: Act,
    call?: IdempotentCall,
  ): Promise<void>;
  findInvitation(org: NewOrganization, invitationId: string): Promise<FoundInvitation | undefined>;
  /** Newest first. */
  listInvitations(org: NewOrganization, page: PageRequest): Promise<Page<FoundInvitation>>;
  /** Revokes it at the instant that `decide` returns, under its lock, unless it was revoked before. */
  revokeInvitation(
    org: NewOrganization,
    invitationId: string,
    decide: (current: Invitation) => Date,
    act: Act,
  ): Promise<Invitation | undefined>;
  /** The invitation of this token, and what its acceptance by this user depends on, without a lock. */
  findOffer(tokenHash: Uint8Array, user: UserKey): Promise<InvitationOffer | undefined>;
  /**
   * Makes the user a member at the instant that `decide` returns, under the locks of the organization and the invitation. Throws
   * `tooManyOrgs`.
   */
  acceptInvitation(
    tokenHash: Uint8Array,
    user: UserKey & { readonly verifiedEmail: string | null },
    decide: DecideAcceptance,
    act: Act,
  ): Promise<Organization | undefined>;
}

/** What an acceptance depends on beside the invitation. */
export interface AcceptanceFacts {
  readonly tenantId: string;
  /** Whether the user is a member already. */
  readonly isMember: boolean;
  readonly isSuspended: boolean;
}

/** An invitation as the invited person sees it. */
export interface InvitationOffer {
  readonly invitation: FoundInvitation;
  readonly organizationName: string;
  /** Of the maker as a member. Empty: it is not known. */
  readonly makerEmail: string;
  readonly facts: AcceptanceFacts;
}

/** When an invitation is accepted. Throws if it cannot be. */
export type DecideAcceptance = (invitation: FoundInvitation, facts: AcceptanceFacts) => Date;

/** A change of a member. `owners` is the number of the organization's owners. */
export type DecideMember = (
  member: Member,
  owners: number,
) => { readonly kind: "role"; readonly role: string } | { readonly kind: "remove" };
