import type { Admission, PresentedKey } from "../../domain/access/admission.ts";
import type { Authority } from "../../domain/access/authority.ts";
import type { SecretKeyCaller } from "../../domain/access/principal.ts";
import type { AccessTokens, FoundAccessToken } from "../../domain/access-tokens/access-token-store.ts";
import type { AccessTokenIssuer } from "../../domain/access-tokens/issuer.ts";
import { type CheckProof, wrongSender } from "../../domain/access-tokens/proof.ts";
import { deniedByKey, tokenRefusal } from "../../domain/access-tokens/token-refusal.ts";
import { fenceDenial } from "../../domain/credentials/fence.ts";
import { refusalOf } from "../../domain/credentials/status.ts";
import type { Awaitable } from "../../domain/vocabulary/awaitable.ts";
import type { Clock } from "../../domain/vocabulary/clock.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import type { Call } from "../call.ts";

export interface AccessTokenContext {
  readonly admission: Pick<Admission, "find">;
  /** Undefined: the service issues no tokens. */
  readonly tokenIssuer: Pick<AccessTokenIssuer, "verify"> | undefined;
  readonly accessTokens: AccessTokens;
  readonly authority: Pick<Authority, "rightsOfToken">;
  readonly checkProof: CheckProof;
  readonly clock: Clock;
}

/**
 * Authenticates a token of the service's own, which stands for a secret key. Checks its signature and form, then its own state,
 * then that of its key, and from where the key may be used: from the record and the lease that a call with the key uses, so that
 * every change of the key binds for its tokens, too. Undefined: the token is of another issuer.
 */
export function authenticateAccessToken(
  ctx: AccessTokenContext,
  text: string,
  call: Call,
): Awaitable<SecretKeyCaller> | undefined {
  const caller = callerOf(ctx, text, call);
  return caller instanceof Promise ? caller.then(requireUnbound) : caller && requireUnbound(caller);
}

/** The same for a token that was sent by the scheme DPoP: it must be bound to a key, and its sender must prove to have that. */
export async function authenticateBoundToken(
  ctx: AccessTokenContext,
  text: string,
  call: Call,
): Promise<SecretKeyCaller | undefined> {
  const caller = await callerOf(ctx, text, call);
  if (caller === undefined) return undefined;
  await proveSender(ctx, call, text, caller.token?.confirmationJkt ?? null);
  return caller;
}

/** Checks, by the proof beside it, that the sender of a token has the key to which it is bound. */
export async function proveSender(
  ctx: Pick<AccessTokenContext, "checkProof" | "clock">,
  call: Call,
  text: string,
  jkt: string | null,
): Promise<void> {
  if (jkt === null) throw wrongSender("unbound");
  // The time of the look-up: that of the clock by which the token and its key end, too.
  const now = call.presented?.at ?? ctx.clock();
  const { credentials, proofTarget: target } = call;
  call.proof = await ctx.checkProof(credentials.dpop, { target, now, token: { text, jkt } }).catch(failLookUp);
}

function requireUnbound(caller: SecretKeyCaller): SecretKeyCaller {
  if (caller.token?.confirmationJkt == null) return caller;
  throw wrongSender("bearer");
}

function callerOf(ctx: AccessTokenContext, text: string, call: Call): Awaitable<SecretKeyCaller> | undefined {
  const tokenId = ctx.tokenIssuer?.verify(text);
  if (tokenId === undefined) return undefined;
  if (typeof tokenId === "string") return withState(ctx, tokenId, call);
  return tokenId.then((verified) => withState(ctx, verified, call), failLookUp);
}

function withState(ctx: AccessTokenContext, tokenId: string, call: Call): Awaitable<SecretKeyCaller> {
  const found = ctx.accessTokens.find(tokenId);
  if (!(found instanceof Promise)) return withKey(ctx, found, call);
  return found.then((state) => withKey(ctx, state, call), failLookUp);
}

function withKey(ctx: AccessTokenContext, found: FoundAccessToken | undefined, call: Call): Awaitable<SecretKeyCaller> {
  if (found === undefined) return admit(ctx, undefined, undefined, call);
  const known = ctx.admission.find(found.token.secretHash);
  if (!(known instanceof Promise)) return admit(ctx, found, known, call);
  return known.then((key) => admit(ctx, found, key, call), failLookUp);
}

function admit(
  ctx: AccessTokenContext,
  found: FoundAccessToken | undefined,
  known: PresentedKey | undefined,
  call: Call,
): SecretKeyCaller {
  if (known !== undefined) call.presented = known;
  call.tokenId = found?.token.tokenId;
  const refusal = tokenRefusal(found, known);
  if (refusal !== null) throw refusal;
  if (found === undefined || known === undefined) throw new Denial("token_revoked");
  const { key } = known;
  const ofKey = refusalOf(known) ?? fenceDenial(key, call);
  if (ofKey !== null) throw deniedByKey(ofKey);
  const { token } = found;
  const rights = ctx.authority.rightsOfToken(key, token.scopes);
  // The token's user is checked with `X-On-Behalf-Of` (`impersonation.ts`).
  return { kind: "secret_key", key, tenantId: key.tenantId, onBehalfOf: null, rights, token };
}

/** The denial for a failed look-up, which says nothing about the credentials: neither 401 nor 200 is sent. Its cause is logged. */
function lookUpFailure(err: unknown): Denial {
  if (err instanceof Denial) return err;
  const retryAfterMs = err instanceof StoreUnavailable ? err.retryAfterMs : 0;
  return new Denial("verifier_error", { cause: err, retryAfterMs });
}

export function failLookUp(err: unknown): never {
  throw lookUpFailure(err);
}
