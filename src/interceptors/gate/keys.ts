import type { Admission, PresentedKey } from "../../domain/access/admission.ts";
import type { Authority } from "../../domain/access/authority.ts";
import {
  type Credentials,
  onlyAuthorization,
  presentsBearer,
  presentsBoundToken,
  refuseKeyAsToken,
  refuseKeyInAuthorization,
  sentToken,
} from "../../domain/access/credentials.ts";
import type { Facts } from "../../domain/access/facts.ts";
import { checkImpersonation, limitedUser } from "../../domain/access/impersonation.ts";
import type { KeyRecord, SecretHash } from "../../domain/credentials/key.ts";
import { hashSecret, type SecretForm, secretForm } from "../../domain/credentials/secret.ts";
import type { ForeignKeys } from "../../domain/key-formats/foreign-keys.ts";
import type { IsUsableOidc } from "../../domain/keys/oidc.ts";
import { tokenExpectation, userExpectation } from "../../domain/keys/oidc-expectation.ts";
import { mistypedKey, notAKey } from "../../domain/keys/refused-secret.ts";
import { exhausted } from "../../domain/limits/budget.ts";
import type { LimitDecision } from "../../domain/limits/decision.ts";
import { authorizationProblem } from "../../domain/tokens/authorization-problem.ts";
import { checkedByKey } from "../../domain/tokens/checked-by.ts";
import type { Claims } from "../../domain/tokens/claims.ts";
import type { TokenVerifier } from "../../domain/tokens/token-verifier.ts";
import { checkedUser } from "../../domain/tokens/user-checks.ts";
import { type Awaitable, after } from "../../domain/vocabulary/awaitable.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import type { Call, CostReader } from "../call.ts";
import { failLookUp } from "./look-up-failure.ts";

/** Where the facts of callers with keys come from: the service and its edges have each their own. */
export interface KeyContext {
  readonly admission: Pick<Admission, "find" | "take">;
  readonly foreignKeys: Pick<ForeignKeys, "hashOf">;
  readonly tokens: Pick<TokenVerifier, "verify">;
  readonly isUsableOidc: IsUsableOidc;
  readonly authority: Pick<Authority, "rightsOfKey">;
  /** The platform's name in new keys, for messages. Null: they have none. */
  readonly keyBrand: string | null;
  /** Checks, by the proof beside it, that the sender of a token has the key to which it is bound. Null: it is bound to none. */
  readonly proveSender: (facts: Facts<Call>, text: string, jkt: string | null) => Promise<void>;
}

/** The credentials of a call that has passed the check of them. */
export function given({ credentials }: Facts): Credentials {
  if (credentials === undefined || credentials instanceof Denial) throw new Error("the credentials were not checked");
  return credentials;
}

/** A key of this service by its checksum is that, whatever keys of other systems look like. */
export function loadKey(ctx: KeyContext, facts: Facts<Call>, secret: string): Awaitable<void> {
  const form = secretForm(secret);
  if (form === "well_formed") return findKey(ctx, facts, hashSecret(secret));
  return after(ctx.foreignKeys.hashOf(secret), loadForeign, { ctx, facts, secret, form }, failLookUp);
}

/** Finds the key with this hash. */
export function findKey({ admission }: Pick<KeyContext, "admission">, facts: Facts, hash: SecretHash): Awaitable<void> {
  return after(admission.find(hash), present, facts, failLookUp);
}

/** A text that is not a key of this service. */
interface Foreign {
  readonly ctx: KeyContext;
  readonly facts: Facts<Call>;
  readonly secret: string;
  readonly form: Exclude<SecretForm, "well_formed">;
}

function loadForeign(secretHash: SecretHash | undefined, { ctx, facts, secret, form }: Foreign): Awaitable<void> {
  if (secretHash !== undefined) return findKey(ctx, facts, secretHash);
  if (form === "unknown") throw mistypedKey(secret, ctx.keyBrand);
  throw notAKey(secret, facts.policy.callers.has("operator"));
}

function present(found: PresentedKey | undefined, facts: Facts): void {
  facts.presented = found;
  if (found !== undefined) facts.caller = found.key.type === "secret" ? "secret_key" : "publishable_key";
}

/** Authenticates a caller with a key: a publishable key's user by the token that came with it. */
export function loadUserOfKey(ctx: KeyContext, facts: Facts<Call>): Awaitable<void> {
  const { presented, request } = facts;
  if (presented === undefined) return undefined;
  const { key } = presented;
  // Two were not refused before: the answer to an unknown key does not depend on what else was sent.
  const authorization = onlyAuthorization(request.credentials.authorization);
  if (key.type === "secret") {
    const rights = ctx.authority.rightsOfKey(key);
    facts.principal = { kind: "secret_key", key, tenantId: key.tenantId, onBehalfOf: null, rights };
    return undefined;
  }
  return loadPublishableUser(ctx, facts, key, authorization);
}

function loadPublishableUser(
  ctx: KeyContext,
  facts: Facts<Call>,
  key: KeyRecord,
  authorization: string | undefined,
): Promise<void> {
  return publishableUser(ctx, facts, key, authorization).then((userId) => {
    const rights = ctx.authority.rightsOfKey(key);
    facts.principal = { kind: "publishable_key", key, tenantId: key.tenantId, userId, rights };
  });
}

/** Authenticates the user of a publishable key's app with the key's own OIDC configuration. */
async function publishableUser(
  ctx: KeyContext,
  facts: Facts<Call>,
  { tenantId, oidc }: KeyRecord,
  authorization: string | undefined,
): Promise<string> {
  if (!ctx.isUsableOidc(oidc)) throw new Denial("misconfigured_publishable_key");
  const token = userToken(authorization);
  const checkSender = presentsBoundToken(authorization)
    ? (jkt: string | null) => ctx.proveSender(facts, token, jkt)
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

/** Spends a request of a key and of its user. */
export function spendKey(ctx: KeyContext, facts: Facts<Call>): Awaitable<void> {
  const { presented } = facts;
  if (presented === undefined) return undefined;
  const { costReader } = facts.request;
  return costReader === undefined ? spendCost(ctx, facts, presented, 1) : spendRead(ctx, facts, presented, costReader);
}

function spendRead(ctx: KeyContext, facts: Facts<Call>, presented: PresentedKey, reader: CostReader): Awaitable<void> {
  return after(reader.readCost(), (cost) => spendCost(ctx, facts, presented, cost));
}

function spendCost(ctx: KeyContext, facts: Facts<Call>, presented: PresentedKey, cost: number): Awaitable<void> {
  const { principal, request } = facts;
  facts.cost = cost;
  let userId: string | null = null;
  if (principal !== undefined && presented.key.rateLimit.perUser !== undefined) {
    facts.impersonation = checkImpersonation(principal, request.credentials.onBehalfOf);
    userId = limitedUser(principal, facts.impersonation);
  }
  return after(ctx.admission.take(presented, { userId, cost }), keepLimit, facts, loseLimit);
}

function keepLimit(decision: LimitDecision, facts: Facts): void {
  facts.limit = decision;
}

/** Every answer to a key has a limit, and here nothing is known to be left of it. */
function loseLimit(err: unknown, facts: Facts): never {
  if (facts.presented !== undefined) facts.limit = exhausted(facts.presented.at);
  throw err;
}
