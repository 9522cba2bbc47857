import { refuseKeyAsToken } from "../access/credentials.ts";
import type { OidcConfig } from "../credentials/key.ts";
import { assessKeySet } from "../tokens/key-set-report.ts";
import { type CheckResult, diagnose, shown, type TokenCheckName } from "../tokens/token-check.ts";
import type { TokenVerifier } from "../tokens/token-verifier.ts";
import { USER_CHECKS } from "../tokens/user-checks.ts";
import { DENIALS, Denial } from "../vocabulary/denial.ts";
import { faultOf, RequestFault } from "../vocabulary/request-fault.ts";
import { type DiscoverContext, withDiscovery } from "./discover.ts";
import type { KeyDetails } from "./key-details.ts";
import type { KeyStore } from "./key-store.ts";
import { checkedOidc, type IsUsableOidc, type OidcDraft, type OidcInput } from "./oidc.ts";
import { keySourceOf, tokenExpectation, userExpectation } from "./oidc-expectation.ts";
import { keyNotFound, possibleKeyId } from "./read.ts";

export interface CheckOidcContext extends DiscoverContext {
  readonly keys: Pick<KeyStore, "findKey">;
  readonly tokens: Pick<TokenVerifier, "inspectKeySet" | "diagnose">;
  readonly isUsableOidc: IsUsableOidc;
}

/** A configuration, or a key that has one; and a user's token, or an empty text. */
export interface OidcQuestion {
  readonly oidc: OidcInput | null;
  readonly keyId: string;
  readonly token: string;
}

export type OidcCheckResult = CheckResult<"configuration" | "discovery" | "key_set" | TokenCheckName>;

/**
 * Runs the checks that decide on a configuration when a key is created, and on a user's token when a request presents it.
 * Creates, spends and counts nothing. A check on which the others depend is the last one if it fails.
 */
export async function checkOidc(
  ctx: CheckOidcContext,
  tenantId: string,
  { oidc, keyId, token }: OidcQuestion,
): Promise<readonly OidcCheckResult[]> {
  if ((oidc === null) === (keyId === "")) {
    throw faultOf(
      "one_of_required",
      "oidc",
      "is required, or key_id: send exactly one of a configuration and a key that has one",
    );
  }
  const results: OidcCheckResult[] = [];
  const config =
    oidc === null
      ? storedConfig(ctx, await publishableKey(ctx, tenantId, keyId), results)
      : await givenConfig(ctx, tenantId, oidc, results);
  if (config === undefined) return results;
  results.push(await keySetResult(ctx, tenantId, config));
  if (token !== "") results.push(...(await tokenResults(ctx, tenantId, config, token)));
  return results;
}

async function publishableKey({ keys }: CheckOidcContext, tenantId: string, keyId: string): Promise<KeyDetails> {
  const key = await keys.findKey(tenantId, possibleKeyId(keyId));
  if (key === undefined) throw keyNotFound();
  if (key.type !== "publishable")
    throw faultOf("not_for_key_type", "key_id", "must name a publishable key; a secret key has no OIDC configuration");
  return key;
}

function storedConfig(
  { isUsableOidc }: CheckOidcContext,
  { oidc }: KeyDetails,
  results: OidcCheckResult[],
): OidcConfig | undefined {
  if (isUsableOidc(oidc)) {
    results.push(passed("configuration", "The key has a complete configuration."));
    return oidc;
  }
  results.push(failed("configuration", DENIALS.misconfigured_publishable_key.sentence));
  return undefined;
}

async function givenConfig(
  ctx: CheckOidcContext,
  tenantId: string,
  oidc: OidcInput,
  results: OidcCheckResult[],
): Promise<OidcConfig | undefined> {
  let draft: OidcDraft;
  try {
    draft = checkedOidc(oidc, ctx);
  } catch (err) {
    results.push(failed("configuration", problemOf(err)));
    return undefined;
  }
  results.push(passed("configuration", "A key with this configuration can be created."));
  if (draft.jwksUrl !== undefined) return { ...draft, jwksUrl: draft.jwksUrl };
  const expected = "the key set that the issuer publishes";
  try {
    const complete = await withDiscovery(ctx, tenantId, draft);
    const found = shown(complete.jwksUrl);
    results.push({ ...passed("discovery", "The issuer names its key set."), expected, found });
    return complete;
  } catch (err) {
    results.push({ ...failed("discovery", problemOf(err)), expected });
    return undefined;
  }
}

async function keySetResult(ctx: CheckOidcContext, tenantId: string, oidc: OidcConfig): Promise<OidcCheckResult> {
  const report = await ctx.tokens.inspectKeySet(keySourceOf(tenantId, oidc));
  const { denial, failure, found } = assessKeySet(report);
  return {
    name: "key_set",
    passed: denial === null,
    expected: "a JWK set with a usable key",
    found,
    detail: failure || (denial === null ? "The key set has a usable key." : "The key set has no usable key."),
  };
}

async function tokenResults(
  ctx: CheckOidcContext,
  tenantId: string,
  oidc: OidcConfig,
  token: string,
): Promise<OidcCheckResult[]> {
  try {
    refuseKeyAsToken(token, true);
  } catch (err) {
    if (!(err instanceof Denial)) throw err;
    return [failed("form", err.message)];
  }
  const { results, claims } = await ctx.tokens.diagnose(token, tokenExpectation(tenantId, oidc));
  return claims === undefined ? [...results] : [...results, ...diagnose(USER_CHECKS, claims, userExpectation(oidc))];
}

function problemOf(err: unknown): string {
  if (err instanceof RequestFault) return err.message;
  throw err;
}

function passed(name: OidcCheckResult["name"], detail: string): OidcCheckResult {
  return { name, passed: true, expected: "", found: "", detail };
}

function failed(name: OidcCheckResult["name"], detail: string): OidcCheckResult {
  return { name, passed: false, expected: "", found: "", detail };
}
