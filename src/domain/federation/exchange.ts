import { createHash } from "node:crypto";
import type { Catalogue } from "../access/catalogue.ts";
import { anyGrants } from "../access/scopes.ts";
import type { AccessTokenStore } from "../access-tokens/access-token-store.ts";
import { type IssueContext, issueToken } from "../access-tokens/issue.ts";
import { tooManyTokens } from "../access-tokens/live-tokens.ts";
import type { CheckedProof } from "../access-tokens/proof.ts";
import type { UsedOnce } from "../access-tokens/used-once.ts";
import { type OriginalCall, placeOf } from "../audit/origin.ts";
import type { Claims } from "../tokens/claims.ts";
import { confirmedKey } from "../tokens/confirmation.ts";
import { isSameAudience } from "../tokens/same-audience.ts";
import { unverifiedClaims } from "../tokens/unverified-claims.ts";
import { Denial } from "../vocabulary/denial.ts";
import { type AssertionContext, grantableBy, type VerifiedAssertion, verifyAssertion } from "./assertion.ts";
import type { FederationRule } from "./rule.ts";
import { ruleProblem } from "./rule-problem.ts";
import type { RuleStore } from "./rule-store.ts";

export interface ExchangeContext extends AssertionContext, Omit<IssueContext, "keyClock" | "accessTokens"> {
  readonly accessTokens: Pick<AccessTokenStore, "addToken" | "hasRoom">;
  readonly rules: Pick<RuleStore, "findRuleOfAny">;
  readonly usedOnce: Pick<UsedOnce, "use">;
  readonly catalogue: Pick<Catalogue, "isGrantable">;
  /** `TOKEN_ISSUER`. */
  readonly tokenIssuer: string;
}

/** What a workload asks for. */
export interface ExchangeRequest {
  readonly ruleId: string;
  readonly assertion: string;
  /** Undefined: all that the rule gives. */
  readonly scopes: readonly string[] | undefined;
  /**
   * Resolves with the proof of the key that the sender has: the given one, where the assertion is bound to it. It is called once the
   * assertion is accepted: the proofs of strangers are neither verified nor remembered. Null: no proof was sent, and any sender may
   * use the token.
   */
  readonly proveKey: ((jkt: string | null) => Promise<CheckedProof>) | null;
}

export interface Exchanged {
  readonly token: string;
  readonly expiresInSeconds: number;
  readonly scopes: readonly string[];
}

/** Why no token is issued, as RFC 6749, 5.2 names it. */
export class ExchangeRefused extends Error {
  override readonly name = "ExchangeRefused";
  readonly error: "invalid_grant" | "invalid_scope";

  constructor(error: ExchangeRefused["error"], message: string) {
    super(message);
    this.error = error;
  }
}

const ACTION = "token.derived";
/** Ids are shorter; the database is not asked for a longer one. */
const RULE_ID_CHARS_MAX = 72;
const ASSERTION_CHARS_MAX = 16_384;
/** How far behind its `exp` a token is accepted, and more. */
const LEEWAY_MS = 60_000;

/**
 * Issues a token for a workload's own. Throws `RequestFault` if the rule has given too many, and `ExchangeRefused`, with one answer for a
 * rule that does not exist, one that is disabled and a token that does not satisfy it: a stranger learns nothing of rules.
 */
export async function exchangeAssertion(
  ctx: ExchangeContext,
  { ruleId, assertion, scopes, proveKey }: ExchangeRequest,
  call: OriginalCall,
): Promise<Exchanged> {
  if (assertion.length > ASSERTION_CHARS_MAX) throw refused();
  const unverified = unverifiedClaims(assertion);
  refuseSender(unverified, proveKey !== null);
  const rule = ruleId.length > RULE_ID_CHARS_MAX ? undefined : await ctx.rules.findRuleOfAny(ruleId);
  if (rule === undefined || !isMeantFor(rule, unverified)) throw refused();
  if (ruleProblem(ctx.isOwnIssuer, rule) !== undefined) throw refused();
  const { claims, jkt } = await verified(ctx, rule, assertion);
  if (jkt !== null && proveKey === null) throw refused();
  const found = await grantableBy(ctx, rule);
  if ("problem" in found) throw refused();
  const granted = chosen(ctx, found.scopes, scopes);
  // Before the assertion is used up.
  if (!(await ctx.accessTokens.hasRoom(rule))) throw tooManyTokens(rule);
  const { tenantId, keyId, ttlSeconds } = rule;
  const proof = proveKey === null ? null : await proveKey(jkt);
  if (!(await ctx.usedOnce.use(useOf(rule, claims, assertion), endOf(claims)))) throw refused();
  // Only then is it stored: an assertion that comes again stores nothing.
  await proof?.use();
  const { token, expiresAt } = await issueToken(
    ctx,
    {
      ...{ tenantId, keyId, secretHash: found.secretHash, scopes: granted, userId: null },
      ...{
        audience: ctx.tokenIssuer,
        confirmationJkt: proof?.jkt ?? null,
        ruleId,
        ttlSeconds,
        keyExpiresAt: found.key.expiresAt,
      },
    },
    {
      ...placeOf(call),
      actor: { kind: "workload", keyId, userId: subjectOf(claims), issuer: rule.issuer, operatorToken: null },
      action: ACTION,
    },
  );
  const expiresInSeconds = Math.max(0, Math.floor((expiresAt.getTime() - ctx.keyClock().getTime()) / 1_000));
  return { token, expiresInSeconds, scopes: granted };
}

/** Says what is wrong with the sender of a token. Before a rule is looked for, so that the answer says nothing of rules. */
function refuseSender(claims: Claims, hasProof: boolean): void {
  let jkt: string | null;
  try {
    jkt = confirmedKey(claims);
  } catch (err) {
    if (err instanceof Denial) throw new ExchangeRefused("invalid_grant", err.message);
    throw err;
  }
  if (jkt !== null && !hasProof) throw new ExchangeRefused("invalid_grant", PROOF_NEEDED);
}

const PROOF_NEEDED =
  "The token is bound to a key of its sender (cnf.jkt); send a proof of that key in the header DPoP, made for this request.";

/**
 * Whether the token claims to be for the rule, before anything is fetched: who does not know what a rule wants has no keys
 * fetched, and cannot see by their absence that there is one.
 */
function isMeantFor({ issuer, audience }: FederationRule, { iss, aud }: Claims): boolean {
  return iss === issuer && [aud].flat().some((one) => typeof one === "string" && isSameAudience(one, audience));
}

/** A failed fetch of keys is not a verdict: the caller is to try again. */
async function verified(ctx: ExchangeContext, rule: FederationRule, assertion: string): Promise<VerifiedAssertion> {
  try {
    return await verifyAssertion(ctx, rule, assertion);
  } catch (err) {
    if (err instanceof Denial && err.reason !== "verifier_error") throw refused();
    throw err;
  }
}

function chosen(
  { catalogue }: Pick<ExchangeContext, "catalogue">,
  given: readonly string[],
  asked: readonly string[] | undefined,
): readonly string[] {
  if (asked === undefined) return given;
  const isGiven = (scope: string): boolean => catalogue.isGrantable(scope) && anyGrants(given, scope);
  if (!asked.every(isGiven))
    throw new ExchangeRefused("invalid_scope", `The rule gives ${given.join(" ")}, and scope asks for more.`);
  return [...new Set(asked)];
}

/**
 * What stands for a use: the token's id, or the part of it that is signed. Not the whole text, since a signature may have
 * several forms.
 */
function useOf({ tenantId, issuer }: FederationRule, { jti }: Claims, assertion: string): Uint8Array {
  const id =
    typeof jti === "string" && jti !== "" ? ["jti", jti] : ["text", assertion.slice(0, assertion.lastIndexOf("."))];
  return createHash("sha256")
    .update(JSON.stringify(["assertion", tenantId, issuer, ...id]))
    .digest();
}

function endOf({ exp }: Claims): Date {
  return new Date(Number(exp) * 1_000 + LEEWAY_MS);
}

function subjectOf({ sub }: Claims): string | null {
  return typeof sub === "string" ? sub.slice(0, 256).toWellFormed().replaceAll("\0", "") : null;
}

function refused(): ExchangeRefused {
  return new ExchangeRefused(
    "invalid_grant",
    "The token was not accepted by the rule of client_id, or was used before. Who may change the tenant's rules can have it checked step by step: POST /api/v1/federation/rules/check.",
  );
}
