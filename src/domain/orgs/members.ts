import type { Authority } from "../access/authority.ts";
import { requireTenant } from "../access/authorize.ts";
import { requireRole } from "../access/grant.ts";
import type { DashboardUser } from "../access/principal.ts";
import type { Act } from "../audit/event.ts";
import type { UserKey } from "../tokens/user-key.ts";
import type { Page, PageRequest } from "../vocabulary/page.ts";
import { faultOf, RequestFault } from "../vocabulary/request-fault.ts";
import { type Member, type Membership, type Organization, OWNER } from "./org.ts";
import type { DecideMember, OrgStore } from "./org-store.ts";

export interface MembersContext {
  readonly orgs: OrgStore;
  readonly authority: Authority;
}

export interface RolesContext extends MembersContext {
  /** Whether the roles in users' tokens decide about their rights, until the tokens expire. */
  readonly rolesInTokens: boolean;
}

/** What a new role does not do where tokens name the roles. */
const ROLES_IN_TOKENS =
  "Roles are read from tokens here: a token that this member has now keeps its roles until it expires. A removal refuses it at once; where the operator sets ROLES_FROM_MEMBERSHIP=true, a new role binds with the next request.";

/** The same error for every tenant that has no organization here. */
function noOrg(): RequestFault {
  return new RequestFault(
    "no_organization",
    "the tenant of this call has no organization here; create one with orgs/create, or, if the identity provider's organizations are the tenants, manage members there",
  );
}

export function found<T>(record: T | undefined): T {
  if (record === undefined) throw noOrg();
  return record;
}

export async function getOrg({ orgs }: MembersContext, caller: DashboardUser): Promise<Organization> {
  return found(await orgs.findOrg(requireTenant(caller)));
}

/** Makes one of the user's organizations the one whose tenant their next token has. */
export async function switchOrg(
  { orgs }: MembersContext,
  caller: DashboardUser,
  orgId: string,
  act: Act,
): Promise<Membership> {
  const membership = await orgs.switchOrg(caller, orgId, act);
  if (membership !== undefined) return membership;
  throw faultOf(
    "organization_not_found",
    "org_id",
    "you are not a member of such an organization; orgs/list shows yours",
  );
}

export async function listMembers(
  { orgs }: MembersContext,
  caller: DashboardUser,
  page: PageRequest,
): Promise<Page<Member>> {
  const tenantId = requireTenant(caller);
  found(await orgs.findOrg(tenantId));
  return orgs.listMembers(tenantId, page);
}

/** Changes the role of a member. Callers cannot give a role with scopes that they do not have. */
export async function setMemberRole(
  ctx: RolesContext,
  caller: DashboardUser,
  user: UserKey,
  role: string,
  act: Act,
): Promise<{ readonly member: Member; readonly warning: string | undefined }> {
  const tenantId = requireTenant(caller);
  requireRole(ctx.authority, caller, tenantId, role);
  const decide: DecideMember = (member, owners) => {
    if (member.role === OWNER && role !== OWNER) keepOwner(owners, "demoted");
    return { kind: "role", role };
  };
  const member = await changeMember(ctx, tenantId, user, decide, act);
  return { member, warning: ctx.rolesInTokens ? ROLES_IN_TOKENS : undefined };
}

/**
 * Removes a member: the next request with a token of this tenant is refused, on every replica, whatever roles the token has.
 * Their invitations end.
 */
export async function removeMember(
  ctx: MembersContext,
  caller: DashboardUser,
  user: UserKey,
  act: Act,
): Promise<Member> {
  const decide: DecideMember = (member, owners) => {
    if (member.role === OWNER) keepOwner(owners, "removed");
    return { kind: "remove" };
  };
  return changeMember(ctx, requireTenant(caller), user, decide, act);
}

async function changeMember(
  { orgs }: MembersContext,
  tenantId: string,
  user: UserKey,
  decide: DecideMember,
  act: Act,
): Promise<Member> {
  found(await orgs.findOrg(tenantId));
  const member = await orgs.changeMember(tenantId, user, decide, act);
  if (member !== undefined) return member;
  throw faultOf("member_not_found", "user_id", "no such member; orgs/members/list has them, with their issuers");
}

/** Throws for the last owner. `what` is a participle: "removed". */
export function keepOwner(owners: number, what: string): void {
  if (owners > 1) return;
  throw faultOf(
    "last_owner",
    "user_id",
    `the last owner cannot be ${what}; make another member owner first, with orgs/members/set-role`,
  );
}
