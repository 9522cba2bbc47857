import type { Catalogue } from "../access/catalogue.ts";
import type { Grant } from "../access/grant.ts";
import { anyGrants } from "../access/scopes.ts";
import { requireConfigured } from "../access-tokens/configured.ts";
import { keyStatus } from "../credentials/status.ts";
import type { KeyStore } from "../keys/key-store.ts";
import { isPossibleKeyId, refuseKeyAsId } from "../keys/read.ts";
import { checkedPermissions } from "../keys/rules.ts";
import { type ClaimRule, pinSubject, readClaimRules } from "../tokens/claim-rules.ts";
import { discoverTenantsKeySet } from "../tokens/discovery.ts";
import { checkIssuer, checkJwksUrl } from "../tokens/oidc-urls.ts";
import { type IsOwnIssuer, refuseOwnIssuer } from "../tokens/own-issuer.ts";
import type { ProviderMetadata } from "../tokens/provider-metadata.ts";
import { isSameAudience } from "../tokens/same-audience.ts";
import type { TokenVerifier } from "../tokens/token-verifier.ts";
import { isBlank } from "../vocabulary/blank.ts";
import type { KeyClock } from "../vocabulary/clock.ts";
import { checkedName } from "../vocabulary/name.ts";
import { faultOf, invalid } from "../vocabulary/request-fault.ts";
import { longerThan } from "../vocabulary/text-length.ts";
import type { FederationRule } from "./rule.ts";
import { keySourceOf } from "./workload-expectation.ts";

/** The dependencies of the check of a rule. */
export interface CheckRuleContext {
  readonly keys: Pick<KeyStore, "findKey">;
  readonly keyClock: KeyClock;
  readonly catalogue: Catalogue;
  readonly tokens: Pick<TokenVerifier, "inspectKeySet">;
  readonly providers: ProviderMetadata;
  readonly jwksAllowedHosts: readonly string[];
  readonly isOwnIssuer: IsOwnIssuer;
  /** `TOKEN_ISSUER`. Undefined: the service issues no tokens. */
  readonly tokenIssuer: string | undefined;
  /** The issuer of dashboard users' tokens. Null: no dashboard users. */
  readonly dashboard: { readonly issuer: string; readonly audience: string | readonly string[] } | null;
}

/** A rule as a caller describes it. Empty texts are absent. */
export interface RuleInput {
  readonly name: string;
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly jwks: Readonly<Record<string, unknown>> | null;
  readonly audience: string;
  /** Parsed JSON. */
  readonly claimRules: unknown;
  readonly keyId: string;
  readonly scopes: readonly string[];
  /** 0: the longest life. */
  readonly ttlSeconds: number;
}

export type CheckedRule = Omit<FederationRule, "ruleId" | "status" | "createdAt" | "updatedAt">;

/** The longest life of a workload's token. */
const TTL_SECONDS_MAX = 900;
const AUDIENCE_CHARS_MAX = 1_024;
const JWKS_BYTES_MAX = 16_384;
const JWKS_KEYS_MAX = 32;

/** A valid rule, or a fault that names the member to change. Its tokens do no more than both its key and its creator may. */
export async function checkedRule(
  ctx: CheckRuleContext,
  tenantId: string,
  input: RuleInput,
  grant: Grant,
): Promise<CheckedRule> {
  const { issuer, audience, keyId } = input;
  const name = checkedName(input.name);
  requireConfigured(ctx.tokenIssuer);
  refuseOwnIssuer(ctx.isOwnIssuer, "issuer", issuer);
  refuseOwnIssuer(ctx.isOwnIssuer, "jwks_url", input.jwksUrl);
  refuse("issuer", issuerProblem(ctx, input));
  refuse("jwks_url", input.jwksUrl === "" ? undefined : checkJwksUrl(input.jwksUrl, ctx.jwksAllowedHosts));
  refuse("audience", audienceProblem(audience));
  const claimRules = pinningRules(input.claimRules);
  const scopes = await scopesWithinKey(ctx, tenantId, input);
  grant(tenantId, scopes, "scopes");
  // Last, because it may fetch from the issuer.
  const { jwksUrl, jwks } = await keysOf(ctx, tenantId, input);
  const ttlSeconds = input.ttlSeconds || TTL_SECONDS_MAX;
  return { tenantId, name, issuer, jwksUrl, jwks, audience, claimRules, keyId, scopes, ttlSeconds };
}

function issuerProblem({ dashboard }: CheckRuleContext, { issuer, audience }: RuleInput) {
  if (issuer === "") return "is required: the claim iss of the workloads' tokens";
  if (issuer === dashboard?.issuer && [dashboard.audience].flat().some((one) => isSameAudience(one, audience)))
    return "with this audience is the one of the dashboard's users, who would be workloads, too; give the workloads another audience";
  return checkIssuer(issuer);
}

function audienceProblem(audience: string): string | undefined {
  if (isBlank(audience))
    return "is required: without it, tokens that the issuer made for any other service would be accepted";
  return longerThan(audience, AUDIENCE_CHARS_MAX) ? `must be at most ${AUDIENCE_CHARS_MAX} characters` : undefined;
}

function pinningRules(value: unknown): readonly ClaimRule[] {
  const rules = readClaimRules(value ?? []);
  if (typeof rules === "string") throw invalid("claim_rules", rules);
  if (!pinSubject(rules))
    throw invalid(
      "claim_rules",
      "must pin the workload by a claim of its own, such as sub; else every workload of the issuer gets a token",
    );
  return rules;
}

async function scopesWithinKey(
  { keys, keyClock, catalogue }: CheckRuleContext,
  tenantId: string,
  { keyId, scopes }: RuleInput,
): Promise<readonly string[]> {
  if (keyId === "") throw faultOf("required", "key_id", "is required: the secret key for which the tokens stand");
  refuseKeyAsId(keyId);
  const key = isPossibleKeyId(keyId) ? await keys.findKey(tenantId, keyId) : undefined;
  if (key === undefined)
    throw invalid("key_id", "must name an API key of the tenant; list the keys to see those there are");
  if (key.type !== "secret") throw faultOf("not_for_key_type", "key_id", "must name a secret key");
  const status = keyStatus(key, keyClock());
  if (status !== "active") throw invalid("key_id", `must name an active key, and this one is ${status}`);
  const checked = checkedPermissions(scopes, "secret", catalogue, "scopes");
  const beyond = checked.find((scope) => !anyGrants(key.permissions, scope));
  if (beyond !== undefined)
    throw invalid(
      `scopes[${scopes.indexOf(beyond)}]`,
      `the key does not have "${beyond}"; a token has no more than its key`,
    );
  return checked;
}

type RuleKeys = Pick<FederationRule, "jwksUrl" | "jwks">;

async function keysOf(
  ctx: CheckRuleContext,
  tenantId: string,
  { issuer, jwksUrl, jwks }: RuleInput,
): Promise<RuleKeys> {
  if (jwks !== null) {
    if (jwksUrl !== "") throw invalid("jwks", "must not stand beside jwks_url: send one of them, or neither");
    await checkKeySet(ctx, tenantId, jwks);
    return { jwksUrl: null, jwks };
  }
  return { jwksUrl: jwksUrl === "" ? await discovered(ctx, tenantId, issuer) : jwksUrl, jwks: null };
}

async function checkKeySet({ tokens }: CheckRuleContext, tenantId: string, jwks: NonNullable<RuleKeys["jwks"]>) {
  const bytes = Buffer.byteLength(JSON.stringify(jwks));
  if (bytes > JWKS_BYTES_MAX) throw invalid("jwks", `must have at most ${JWKS_BYTES_MAX} bytes as JSON, not ${bytes}`);
  const { inUse } = await tokens.inspectKeySet(keySourceOf({ tenantId, jwksUrl: null, jwks }));
  if (inUse === undefined || inUse.keyCount === 0)
    throw invalid(
      "jwks",
      'must be a JWK set with the public keys of the issuer, such as {"keys": [{"kty": "RSA", ...}]}',
    );
  if (inUse.keyCount > JWKS_KEYS_MAX) throw invalid("jwks", `must have at most ${JWKS_KEYS_MAX} keys`);
  const index = inUse.keys.findIndex(({ problem }) => problem !== undefined);
  if (index !== -1) throw invalid(`jwks.keys[${index}]`, `the key ${inUse.keys[index]?.problem}; remove it`);
}

const SET_IT = "set jwks_url to the address of the key set, or paste the keys into jwks";

/** Once: at run time the issuer's document could move the trust in its keys elsewhere. */
async function discovered(ctx: CheckRuleContext, tenantId: string, issuer: string): Promise<string> {
  const problem = issuer.includes("?") ? "must not have a query" : checkJwksUrl(issuer, ctx.jwksAllowedHosts);
  if (problem !== undefined)
    throw faultOf("discovery_failed", "jwks_url", `cannot be discovered: for that, the issuer ${problem}; ${SET_IT}`);
  const found = await discoverTenantsKeySet(ctx, tenantId, issuer);
  if ("jwksUrl" in found) return found.jwksUrl;
  const reason = found.at === "own_key_set" ? "own_issuer" : "discovery_failed";
  throw faultOf(reason, found.at === "issuer" ? "issuer" : "jwks_url", `${found.problem}; ${SET_IT}`);
}

function refuse(member: string, problem: string | undefined): void {
  if (problem !== undefined) throw invalid(member, problem);
}
