import type { DashboardProvider } from "../../config/settings.ts";
import { Denial } from "../../domain/denial.ts";
import { authorizationProblem } from "../../domain/identity/authorization-problem.ts";
import { checkedByDashboard, checkedByKey } from "../../domain/identity/checked-by.ts";
import { type Claims, type KeySource, unmetClaim } from "../../domain/identity/claims.ts";
import {
  bearerToken,
  type CredentialHeaders,
  type Credentials,
  onlyAuthorization,
  presentsBearer,
  refuseKeyAsToken,
} from "../../domain/identity/credentials.ts";
import { identifierClaim } from "../../domain/identity/identifier-claim.ts";
import type { Principal } from "../../domain/identity/principal.ts";
import { requiredClaimUnmet, userIdNotFound } from "../../domain/identity/refused-claims.ts";
import type { KeyRecord, OidcConfig, SecretHash } from "../../domain/keys/key.ts";
import { isCompleteOidc } from "../../domain/keys/oidc.ts";
import { mistypedKey, notAKey } from "../../domain/keys/refused-secret.ts";
import { hashSecret, secretForm } from "../../domain/keys/secret.ts";
import { denialOfStatus, keyStatus } from "../../domain/keys/status.ts";
import { allowedForPublishable } from "../../domain/policy/scopes.ts";
import type { Admission, PresentedKey } from "../../domain/ports/admission.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { TokenVerifier } from "../../domain/ports/tokens.ts";
import { StoreUnavailable } from "../../domain/store-unavailable.ts";
import type { Call } from "../call.ts";

export interface AuthenticationContext {
  readonly admission: Pick<Admission, "recall" | "present">;
  readonly tokens: Pick<TokenVerifier, "verify" | "hasKeys">;
  /** Null: none is configured. */
  readonly dashboard: DashboardProvider | null;
  readonly clock: Clock;
}

/**
 * Finds out who is calling, from what the headers present: key known, key usable, then the user's token. A usable secret
 * key spends a request with its look-up.
 */
export function authenticate(ctx: AuthenticationContext, credentials: Credentials, call: Call): Promise<Principal> {
  return credentials.kind === "user_token"
    ? authenticateDashboardUser(ctx, credentials.token)
    : authenticateKey(ctx, credentials, call);
}

/** The key that is presented, usable or not; undefined if there is none. Judges no user's token, and spends nothing. */
export async function findPresentedKey(
  { admission }: Pick<AuthenticationContext, "admission">,
  { apiKey }: CredentialHeaders,
): Promise<PresentedKey | undefined> {
  const [secret, another] = apiKey;
  if (secret === undefined || another !== undefined || secretForm(secret) !== "well_formed") return undefined;
  return admission.present(hashSecret(secret), false);
}

async function authenticateDashboardUser(ctx: AuthenticationContext, token: string): Promise<Principal> {
  refuseKeyAsToken(token);
  if (ctx.dashboard === null) throw new Denial("oidc_not_configured");
  let claims: Claims;
  try {
    claims = await ctx.tokens.verify(token, ctx.dashboard.expectation);
  } catch (err) {
    throw checkedByDashboard(err);
  }
  const userId = identifierClaim(claims, "sub");
  if (userId === undefined) throw userIdNotFound(claims, "sub");
  return { kind: "dashboard_user", userId, tenantId: identifierClaim(claims, ctx.dashboard.tenantClaim) ?? null };
}

async function authenticateKey(
  ctx: AuthenticationContext,
  presented: Extract<Credentials, { kind: "api_key" }>,
  call: Call,
): Promise<Principal> {
  const secretHash = hashWellFormed(presented.secret);
  const [sent, another] = presented.authorization;
  // Two Authorization headers are refused below, with the limit of the key; that spends nothing.
  const spends = another === undefined;
  const early = spends && sent !== undefined ? await authenticateEarly(ctx, secretHash, sent) : undefined;
  const acceptedFor = early?.kind === "accepted" ? early.key : undefined;
  let known: PresentedKey | undefined;
  try {
    known = await ctx.admission.present(secretHash, spends, acceptedFor);
  } catch (err) {
    throw lookUpFailure(err);
  }
  if (known === undefined) throw new Denial("api_key_not_found");
  call.presented = known;
  const { key, at } = known;
  const refusal = denialOfStatus(keyStatus(key, at));
  if (refusal !== null) throw new Denial(refusal);
  const authorization = onlyAuthorization(presented.authorization);
  const { tenantId } = key;
  if (key.type === "secret") return { kind: "secret_key", key, tenantId, onBehalfOf: null };
  const userId = early?.key === key ? userOrRefusal(early) : await publishableUser(ctx, key, authorization);
  return { kind: "publishable_key", key: withAllowedScopes(key), tenantId, userId };
}

/** Whoever asks the principal for its scopes must not be told of one that a publishable key cannot have. */
function withAllowedScopes(key: KeyRecord): KeyRecord {
  const permissions = allowedForPublishable(key.permissions);
  return permissions.length === key.permissions.length ? key : { ...key, permissions };
}

function hashWellFormed(secret: string): SecretHash {
  const form = secretForm(secret);
  if (form === "invalid") throw notAKey(secret);
  if (form === "unknown") throw mistypedKey(secret);
  return hashSecret(secret);
}

/**
 * Judges a publishable key's user by the record that this process saw last, so that key and budget can be asked for at
 * once. What comes of it counts only if that is still the key's record.
 *
 * Only by keys that are at hand: a dead key, which anyone may have, must not make us ask its tenant's provider, nor wait
 * for it. While the record is out of date, it can be dead without this process knowing.
 */
async function authenticateEarly(
  ctx: AuthenticationContext,
  secretHash: SecretHash,
  authorization: string,
): Promise<EarlyUser | undefined> {
  const key = ctx.admission.recall(secretHash);
  if (key?.type !== "publishable" || keyStatus(key, ctx.clock()) !== "active") return undefined;
  if (key.oidc === null || !ctx.tokens.hasKeys(providerOf(key.tenantId, key.oidc))) return undefined;
  try {
    return { kind: "accepted", key, userId: await publishableUser(ctx, key, authorization) };
  } catch (refusal) {
    return { kind: "refused", key, refusal };
  }
}

/** A user as judged by a record that may be out of date: who it is, or why it is refused. */
type EarlyUser =
  | { readonly kind: "accepted"; readonly key: KeyRecord; readonly userId: string }
  | { readonly kind: "refused"; readonly key: KeyRecord; readonly refusal: unknown };

function userOrRefusal(early: EarlyUser): string {
  if (early.kind === "refused") throw early.refusal;
  return early.userId;
}

/** A look-up that fails, whichever way, says nothing about the key: neither 401 nor 200. Its cause is logged. */
function lookUpFailure(err: unknown): Denial {
  if (err instanceof Denial) return err;
  const retryAfterMs = err instanceof StoreUnavailable ? err.retryAfterMs : 0;
  return new Denial("verifier_error", { cause: err, retryAfterMs });
}

/** The user of a publishable key's app, judged by the key's own OIDC configuration. */
async function publishableUser(
  ctx: AuthenticationContext,
  { tenantId, oidc }: KeyRecord,
  authorization: string | undefined,
): Promise<string> {
  if (!isCompleteOidc(oidc)) throw new Denial("misconfigured_publishable_key");
  const token = userToken(authorization);
  const { issuer, audience } = oidc;
  let claims: Claims;
  try {
    claims = await ctx.tokens.verify(token, { issuer, audience, ...providerOf(tenantId, oidc) });
  } catch (err) {
    throw checkedByKey(err);
  }
  const userId = identifierClaim(claims, oidc.userIdClaim);
  if (userId === undefined) throw userIdNotFound(claims, oidc.userIdClaim);
  const unmet = unmetClaim(claims, oidc.requiredClaims);
  if (unmet !== undefined) throw requiredClaimUnmet(claims, unmet);
  return userId;
}

/** The token that came beside a publishable key. */
function userToken(authorization: string | undefined): string {
  // Some clients send the header with nothing in it where nobody has signed in.
  if (authorization === undefined || authorization === "") throw new Denial("publishable_key_requires_jwt");
  const token = bearerToken(authorization);
  if (token === undefined) {
    throw new Denial(presentsBearer(authorization) ? "jwt_malformed" : "publishable_key_requires_jwt", {
      message: authorizationProblem(authorization),
    });
  }
  refuseKeyAsToken(token, true);
  return token;
}

function providerOf(tenantId: string, { jwksUrl }: OidcConfig): KeySource {
  return { jwksUrl, jwksOwner: { kind: "tenant", tenantId } };
}
