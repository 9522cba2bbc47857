import type { DashboardProvider } from "../../config/settings.ts";
import type { Authority } from "../../domain/access/authority.ts";
import { looksLikeToken, refuseKeyAsToken } from "../../domain/access/credentials.ts";
import type { Facts } from "../../domain/access/facts.ts";
import { verifiedEmail } from "../../domain/orgs/email.ts";
import type { Memberships } from "../../domain/orgs/org-store.ts";
import { userStateOf } from "../../domain/orgs/user-state.ts";
import type { TenantStates } from "../../domain/tenants/tenant-store.ts";
import { checkedByDashboard, withoutKey } from "../../domain/tokens/checked-by.ts";
import type { Claims } from "../../domain/tokens/claims.ts";
import type { CheckSender } from "../../domain/tokens/confirmation.ts";
import { identifierClaim } from "../../domain/tokens/identifier-claim.ts";
import { notOperatorsToken } from "../../domain/tokens/refused-token.ts";
import type { TokenVerifier } from "../../domain/tokens/token-verifier.ts";
import { checkedUser } from "../../domain/tokens/user-checks.ts";
import type { UserKey } from "../../domain/tokens/user-key.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";

export interface DashboardContext {
  readonly tokens: Pick<TokenVerifier, "verify">;
  /** Null if no dashboard provider is configured. */
  readonly dashboard: DashboardProvider | null;
  readonly tenants: TenantStates;
  readonly memberships: Memberships;
  /** Whether a user whose token names no tenant gets that of their only or current membership. */
  readonly tenantFromMembership: boolean;
  /** Whether a user has the role of their membership in the tenant, and none without one, whatever their token says. */
  readonly rolesFromMembership: boolean;
  readonly authority: Authority;
}

/** Verifies a dashboard user's token, and finds their tenant and role. */
export async function loadDashboardUser(
  ctx: DashboardContext,
  facts: Facts,
  token: string,
  checkSender?: CheckSender,
): Promise<void> {
  const { policy } = facts;
  refuseKeyAsToken(token);
  if (policy.callers.has("operator") && !looksLikeToken(token)) throw notOperatorsToken(token);
  if (ctx.dashboard === null) throw withoutKey("oidc_not_configured");
  let claims: Claims;
  try {
    claims = await ctx.tokens.verify(token, ctx.dashboard.expectation, checkSender);
  } catch (err) {
    throw checkedByDashboard(err);
  }
  const { userIdClaim, tenantClaim, requiredClaims } = ctx.dashboard;
  const userId = checkedUser(claims, { userIdClaim, requiredClaims, requiredBy: "operator" });
  const { issuer } = ctx.dashboard.expectation;
  const claimed = identifierClaim(claims, tenantClaim) ?? null;
  const place = await placeOf(ctx, { issuer, userId }, claimed, policy.formerMembers);
  if (place instanceof Denial) {
    facts.tenantRefusal = place;
    return;
  }
  const { tenantId, memberRole, roles } = place;
  facts.principal = {
    kind: "dashboard_user",
    issuer,
    userId,
    verifiedEmail: verifiedEmail(claims),
    tenantId,
    memberRole,
    rights: ctx.authority.rightsOfUser(claims, tenantId, roles),
  };
}

interface Place {
  readonly tenantId: string | null;
  /** Of the membership in the tenant. Null: no membership. */
  readonly memberRole: string | null;
  /** What decides about the user's rights. Undefined: the roles in the token. */
  readonly roles: readonly string[] | undefined;
}

/**
 * The place of a user as of now, whatever the token's age, or why they have none. Throws `StoreUnavailable`: an outage is `unavailable`,
 * as in all else that a dashboard user does.
 */
async function placeOf(
  ctx: DashboardContext,
  user: UserKey,
  claimed: string | null,
  admitsFormerMembers: boolean,
): Promise<Place | Denial> {
  const state = userStateOf(await ctx.memberships.findMemberships(user.userId), user.issuer);
  if (claimed !== null && state.wasRemovedFrom(claimed)) {
    if (admitsFormerMembers) return { tenantId: null, memberRole: null, roles: [] };
    return new Denial("tenant_required", { message: REMOVED });
  }
  const membership = state.memberships.find((one) =>
    claimed === null ? ctx.tenantFromMembership && one.isCurrent : one.tenantId === claimed,
  );
  const tenantId = claimed ?? membership?.tenantId ?? null;
  if (tenantId !== null && (await ctx.tenants.findTenant(tenantId)).isSuspended) return new Denial("tenant_suspended");
  const memberRole = membership?.role ?? null;
  const roles = memberRole === null ? [] : [memberRole];
  const roleDecides = memberRole !== null && (claimed === null || !ctx.authority.readsRoles);
  return { tenantId, memberRole, roles: ctx.rolesFromMembership || roleDecides ? roles : undefined };
}

const REMOVED =
  "This user was removed from the organization of the token's tenant; use a token of another tenant, or have an administrator invite them again.";
