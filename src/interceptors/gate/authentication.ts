import type { DashboardProvider } from "../../config/settings.ts";
import type { PresentedKey } from "../../domain/access/admission.ts";
import type { Authority } from "../../domain/access/authority.ts";
import {
  type CredentialHeaders,
  type Credentials,
  looksLikeToken,
  onlyAuthorization,
  presentsBearer,
  presentsBoundToken,
  refuseKeyAsToken,
  refuseKeyInAuthorization,
  sentToken,
} from "../../domain/access/credentials.ts";
import type { DashboardUser, Principal } from "../../domain/access/principal.ts";
import type { MatchSecret } from "../../domain/access/secrets.ts";
import { fenceDenial } from "../../domain/credentials/fence.ts";
import type { KeyRecord, SecretHash } from "../../domain/credentials/key.ts";
import { hashSecret, secretForm } from "../../domain/credentials/secret.ts";
import { refusalOf } from "../../domain/credentials/status.ts";
import type { IsUsableOidc } from "../../domain/keys/oidc.ts";
import { tokenExpectation, userExpectation } from "../../domain/keys/oidc-expectation.ts";
import { mistypedKey, notAKey } from "../../domain/keys/refused-secret.ts";
import { verifiedEmail } from "../../domain/orgs/email.ts";
import type { Memberships } from "../../domain/orgs/org-store.ts";
import { userStateOf } from "../../domain/orgs/user-state.ts";
import type { TenantStates } from "../../domain/tenants/tenant-store.ts";
import { authorizationProblem } from "../../domain/tokens/authorization-problem.ts";
import { checkedByDashboard, checkedByKey, withoutKey } from "../../domain/tokens/checked-by.ts";
import type { Claims } from "../../domain/tokens/claims.ts";
import type { CheckSender } from "../../domain/tokens/confirmation.ts";
import { identifierClaim } from "../../domain/tokens/identifier-claim.ts";
import { notOperatorsToken } from "../../domain/tokens/refused-token.ts";
import type { TokenVerifier } from "../../domain/tokens/token-verifier.ts";
import { checkedUser } from "../../domain/tokens/user-checks.ts";
import type { UserKey } from "../../domain/tokens/user-key.ts";
import type { Awaitable } from "../../domain/vocabulary/awaitable.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import type { Call } from "../call.ts";
import {
  type AccessTokenContext,
  authenticateAccessToken,
  authenticateBoundToken,
  failLookUp,
  proveSender,
} from "./access-token.ts";

export interface AuthenticationContext extends AccessTokenContext {
  readonly tokens: Pick<TokenVerifier, "verify">;
  readonly isUsableOidc: IsUsableOidc;
  /** Null if no dashboard provider is configured. */
  readonly dashboard: DashboardProvider | null;
  readonly tenants: TenantStates;
  readonly memberships: Memberships;
  /** Whether a user whose token names no tenant gets that of their only or current membership. */
  readonly tenantFromMembership: boolean;
  /** Whether a user has the role of their membership in the tenant, and none without one, whatever their token says. */
  readonly rolesFromMembership: boolean;
  readonly authority: Authority;
  /** The platform's name in new keys, for messages. Null: they have none. */
  readonly keyBrand: string | null;
  readonly matchOperatorToken: MatchSecret;
  /** Called at each use of an operator's token, with its position. */
  readonly onOperatorToken: (position: number, call: Call) => void;
}

/**
 * Authenticates the caller from the headers. Checks that the key is known, then that it is usable, then that it may be used
 * from there, then the user's token.
 */
export function authenticate(ctx: AuthenticationContext, credentials: Credentials, call: Call): Awaitable<Principal> {
  switch (credentials.kind) {
    case "user_token":
      return authenticateBearer(ctx, credentials.token, call);
    case "bound_token":
      return authenticateBound(ctx, credentials.token, call);
    default:
      return authenticateKey(ctx, credentials, call);
  }
}

/**
 * The presented key, usable or not. Undefined without one, or with an access token. Checks no token, and spends nothing.
 */
export async function findPresentedKey(
  { admission }: Pick<AuthenticationContext, "admission">,
  { apiKey }: CredentialHeaders,
): Promise<PresentedKey | undefined> {
  const [secret, another] = apiKey;
  if (secret === undefined || another !== undefined || secretForm(secret) !== "well_formed") return undefined;
  return admission.find(hashSecret(secret));
}

function authenticateBearer(ctx: AuthenticationContext, token: string, call: Call): Awaitable<Principal> {
  const position = ctx.matchOperatorToken(token);
  if (position === undefined) {
    return authenticateAccessToken(ctx, token, call) ?? authenticateDashboardUser(ctx, token, call);
  }
  ctx.onOperatorToken(position, call);
  return { kind: "operator", token: position, tenantId: null, rights: ctx.authority.rightsOfOperator };
}

async function authenticateBound(ctx: AuthenticationContext, token: string, call: Call): Promise<Principal> {
  const caller = await authenticateBoundToken(ctx, token, call);
  return caller ?? authenticateDashboardUser(ctx, token, call, (jkt) => proveSender(ctx, call, token, jkt));
}

async function authenticateDashboardUser(
  ctx: AuthenticationContext,
  token: string,
  call: Call,
  checkSender?: CheckSender,
): Promise<DashboardUser> {
  refuseKeyAsToken(token);
  if (call.policy?.callers.has("operator") && !looksLikeToken(token)) throw notOperatorsToken(token);
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
  const { tenantId, memberRole, roles } = await placeOf(
    ctx,
    { issuer, userId },
    claimed,
    call.policy?.formerMembers === true,
  );
  return {
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
 * The place of a user as of now, whatever the token's age. Throws `StoreUnavailable`: an outage is `unavailable`, as in all
 * else that a dashboard user does.
 */
async function placeOf(
  ctx: AuthenticationContext,
  user: UserKey,
  claimed: string | null,
  admitsFormerMembers: boolean,
): Promise<Place> {
  const state = userStateOf(await ctx.memberships.findMemberships(user.userId), user.issuer);
  if (claimed !== null && state.wasRemovedFrom(claimed)) {
    if (admitsFormerMembers) return { tenantId: null, memberRole: null, roles: [] };
    throw new Denial("tenant_required", { message: REMOVED });
  }
  const membership = state.memberships.find((one) =>
    claimed === null ? ctx.tenantFromMembership && one.isCurrent : one.tenantId === claimed,
  );
  const tenantId = claimed ?? membership?.tenantId ?? null;
  if (tenantId !== null && (await ctx.tenants.findTenant(tenantId)).isSuspended) throw new Denial("tenant_suspended");
  const memberRole = membership?.role ?? null;
  const roles = memberRole === null ? [] : [memberRole];
  const roleDecides = memberRole !== null && (claimed === null || !ctx.authority.readsRoles);
  return { tenantId, memberRole, roles: ctx.rolesFromMembership || roleDecides ? roles : undefined };
}

const REMOVED =
  "This user was removed from the organization of the token's tenant; use a token of another tenant, or have an administrator invite them again.";

function authenticateKey(
  ctx: AuthenticationContext,
  presented: Extract<Credentials, { kind: "api_key" }>,
  call: Call,
): Awaitable<Principal> {
  const secretHash = hashWellFormed(presented.secret, ctx.keyBrand, call);
  const known = ctx.admission.find(secretHash);
  if (!(known instanceof Promise)) return authenticateFound(ctx, presented, call, known);
  return known.then((found) => authenticateFound(ctx, presented, call, found), failLookUp);
}

function authenticateFound(
  ctx: AuthenticationContext,
  presented: Extract<Credentials, { kind: "api_key" }>,
  call: Call,
  known: PresentedKey | undefined,
): Awaitable<Principal> {
  if (known === undefined) throw new Denial("api_key_not_found");
  call.presented = known;
  const refusal = refusalOf(known);
  if (refusal !== null) throw refusal;
  const { key } = known;
  const outside = fenceDenial(key, call);
  if (outside !== null) throw outside;
  const authorization = onlyAuthorization(presented.authorization);
  const { tenantId } = key;
  const rights = ctx.authority.rightsOfKey(key);
  if (key.type === "secret") return { kind: "secret_key", key, tenantId, onBehalfOf: null, rights };
  const user = publishableUser(ctx, key, authorization, call);
  return user.then((userId) => ({ kind: "publishable_key", key, tenantId, userId, rights }));
}

function hashWellFormed(secret: string, brand: string | null, call: Call): SecretHash {
  const form = secretForm(secret);
  if (form === "invalid") throw notAKey(secret, call.policy?.callers.has("operator"));
  if (form === "unknown") throw mistypedKey(secret, brand);
  return hashSecret(secret);
}

/** Authenticates the user of a publishable key's app with the key's own OIDC configuration. */
async function publishableUser(
  ctx: AuthenticationContext,
  { tenantId, oidc }: KeyRecord,
  authorization: string | undefined,
  call: Call,
): Promise<string> {
  if (!ctx.isUsableOidc(oidc)) throw new Denial("misconfigured_publishable_key");
  const token = userToken(authorization);
  const checkSender = presentsBoundToken(authorization)
    ? (jkt: string | null) => proveSender(ctx, call, token, jkt)
    : undefined;
  let claims: Claims;
  try {
    claims = await ctx.tokens.verify(token, tokenExpectation(tenantId, oidc), checkSender);
  } catch (err) {
    throw checkedByKey(err);
  }
  return checkedUser(claims, userExpectation(oidc));
}

/** The user's token that was sent with a publishable key, by either scheme. */
function userToken(authorization: string | undefined): string {
  // Some clients send an empty header while no user is signed in.
  if (authorization === undefined || authorization === "") throw new Denial("publishable_key_requires_jwt");
  const token = sentToken(authorization);
  if (token === undefined) {
    refuseKeyInAuthorization(authorization, true);
    throw new Denial(presentsBearer(authorization) ? "jwt_malformed" : "publishable_key_requires_jwt", {
      message: authorizationProblem(authorization),
    });
  }
  refuseKeyAsToken(token, true);
  return token;
}
