import type { Admission, PresentedKey } from "../../domain/access/admission.ts";
import type { Authority } from "../../domain/access/authority.ts";
import type { Facts } from "../../domain/access/facts.ts";
import type { SecretKeyCaller } from "../../domain/access/principal.ts";
import type { AccessTokens, FoundAccessToken } from "../../domain/access-tokens/access-token-store.ts";
import type { AccessTokenIssuer } from "../../domain/access-tokens/issuer.ts";
import { type CheckProof, wrongSender } from "../../domain/access-tokens/proof.ts";
import { type Awaitable, after } from "../../domain/vocabulary/awaitable.ts";
import type { Clock } from "../../domain/vocabulary/clock.ts";
import type { Call } from "../call.ts";
import { failLookUp } from "./look-up-failure.ts";

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
 * Finds the state of a token of the service's own, and its key: from the record and the lease that a call with the key uses, so that
 * every change of the key binds for its tokens, too. `tokenId`: that of a token that was verified.
 */
export function loadAccessToken(ctx: AccessTokenContext, facts: Facts, tokenId: Awaitable<string>): Awaitable<void> {
  return after(tokenId, loadState, { ctx, facts }, failLookUp);
}

/** A token that is looked up, for these facts. */
interface LookUp {
  readonly ctx: AccessTokenContext;
  readonly facts: Facts;
}

function loadState(tokenId: string, lookUp: LookUp): Awaitable<void> {
  return after(lookUp.ctx.accessTokens.find(tokenId), loadKeyOf, lookUp, failLookUp);
}

function loadKeyOf(found: FoundAccessToken | undefined, { ctx, facts }: LookUp): Awaitable<void> {
  facts.token = found;
  return after(found && ctx.admission.find(found.token.secretHash), present, facts, failLookUp);
}

function present(presented: PresentedKey | undefined, facts: Facts): void {
  facts.caller = "secret_key";
  facts.isToken = true;
  facts.presented = presented;
}

/** Authenticates the sender of a token. One that is bound to a key is sent with a proof of that key, by the scheme DPoP. */
export function loadUserOfToken(
  ctx: AccessTokenContext,
  facts: Facts<Call>,
  text: string,
  isBound: boolean,
): Awaitable<void> {
  const { token: found, presented } = facts;
  if (found === undefined || presented === undefined) throw new Error("a token without a record was not refused");
  const { token } = found;
  const { key } = presented;
  const rights = ctx.authority.rightsOfToken(key, token.scopes);
  // The token's user is checked with `X-On-Behalf-Of` (`impersonation.ts`).
  const caller = { kind: "secret_key", key, tenantId: key.tenantId, onBehalfOf: null, rights, token } as const;
  if (isBound) return loadProvenUser(ctx, facts, text, caller);
  if (token.confirmationJkt !== null) throw wrongSender("bearer");
  facts.principal = caller;
  return undefined;
}

async function loadProvenUser(
  ctx: AccessTokenContext,
  facts: Facts<Call>,
  text: string,
  caller: SecretKeyCaller,
): Promise<void> {
  await proveSender(ctx, facts, text, caller.token?.confirmationJkt ?? null);
  facts.principal = caller;
}

/** Checks, by the proof beside it, that the sender of a token has the key to which it is bound. */
export async function proveSender(
  ctx: Pick<AccessTokenContext, "checkProof" | "clock">,
  facts: Facts<Call>,
  text: string,
  jkt: string | null,
): Promise<void> {
  if (jkt === null) throw wrongSender("unbound");
  // The time of the look-up: that of the clock by which the token and its key end, too.
  const now = facts.presented?.at ?? ctx.clock();
  const { credentials, proofTarget: target } = facts.request;
  facts.proof = await ctx.checkProof(credentials.dpop, { target, now, token: { text, jkt } }).catch(failLookUp);
}
