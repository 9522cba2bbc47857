import type { Admission, PresentedKey } from "../access/admission.ts";
import { narrowed } from "../access/narrowed.ts";
import { refusalOf } from "../credentials/status.ts";
import type { KeyStore } from "../keys/key-store.ts";
import type { Claims } from "../tokens/claims.ts";
import { assessKeySet } from "../tokens/key-set-report.ts";
import type { IsOwnIssuer } from "../tokens/own-issuer.ts";
import { type CheckResult, diagnose, requireAll, type TokenCheck, type TokenCheckName } from "../tokens/token-check.ts";
import type { TokenVerifier } from "../tokens/token-verifier.ts";
import { CLAIM_RULES } from "../tokens/user-checks.ts";
import type { KeyClock } from "../vocabulary/clock.ts";
import { Denial } from "../vocabulary/denial.ts";
import type { FederationRule } from "./rule.ts";
import { ruleProblem } from "./rule-problem.ts";
import { keySourceOf, workloadExpectation } from "./workload-expectation.ts";

export interface AssertionContext {
  readonly keys: Pick<KeyStore, "findSecretHash">;
  readonly admission: Pick<Admission, "find">;
  readonly tokens: Pick<TokenVerifier, "verify" | "diagnose" | "inspectKeySet">;
  readonly keyClock: KeyClock;
  readonly isOwnIssuer: IsOwnIssuer;
}

export type AssertionStep = CheckResult<"status" | "key" | "scopes" | "key_set" | TokenCheckName>;

/** What a rule gives to a workload: the key, and which of the rule's scopes it has now. */
export interface Grantable {
  readonly key: PresentedKey["key"];
  readonly secretHash: string;
  readonly scopes: readonly string[];
}

interface Workload {
  readonly claims: Claims;
  readonly nowS: number;
}

/** Platforms give tokens minutes or hours, a few a day. Longer ones are secrets that are stored. */
const LIFE_DAYS_MAX = 7;
const LIFE_S_MAX = LIFE_DAYS_MAX * 86_400;

const LIFETIME: TokenCheck<Workload, unknown> = {
  name: "lifetime",
  denialOf({ claims: { exp }, nowS }) {
    if (Number(exp) - nowS <= LIFE_S_MAX) return undefined;
    const message = `The token is valid for more than ${LIFE_DAYS_MAX} days; have the workload get one with a shorter life.`;
    return new Denial("jwt_malformed", { message });
  },
  needed: () => `exp within ${LIFE_DAYS_MAX} days`,
  found: ({ claims: { exp } }) => exp,
  passes: "The token is short-lived.",
};

/** A workload's token that satisfies a rule. */
export interface VerifiedAssertion {
  readonly claims: Claims;
  /** The thumbprint of the key that its sender must prove to have. Null: it is bound to none. */
  readonly jkt: string | null;
}

/** Verifies a workload's token by a rule, but not its sender. Throws `Denial`. */
export async function verifyAssertion(
  { tokens, keyClock }: Pick<AssertionContext, "tokens" | "keyClock">,
  rule: FederationRule,
  assertion: string,
): Promise<VerifiedAssertion> {
  let jkt: string | null = null;
  const claims = await tokens.verify(assertion, workloadExpectation(rule), (bound) => {
    jkt = bound;
    return undefined;
  });
  requireAll([LIFETIME], { claims, nowS: keyClock().getTime() / 1_000 }, undefined);
  requireAll([CLAIM_RULES], claims, rule);
  return { claims, jkt };
}

/** What the rule gives now, or why it gives nothing. */
export async function grantableBy(
  { keys, admission }: Pick<AssertionContext, "keys" | "admission">,
  { tenantId, keyId, scopes }: FederationRule,
): Promise<Grantable | { readonly problem: string; readonly at: "key" | "scopes" }> {
  const secretHash = await keys.findSecretHash(tenantId, keyId);
  const presented = secretHash === undefined ? undefined : await admission.find(secretHash);
  if (secretHash === undefined || presented === undefined)
    return { at: "key", problem: "The key of the rule is gone." };
  const refusal = refusalOf(presented);
  if (refusal !== null) return { at: "key", problem: refusal.message };
  const { key } = presented;
  const held = narrowed(key.permissions, scopes);
  if (held.length === 0) return { at: "scopes", problem: "The key has none of the rule's scopes any more." };
  return { key, secretHash, scopes: held };
}

/** Runs all checks that decide on an exchange, and shows each. Issues nothing, and does not use the token up. */
export async function checkAssertion(
  ctx: AssertionContext,
  rule: FederationRule,
  assertion: string,
): Promise<readonly AssertionStep[]> {
  const found = await grantableBy(ctx, rule);
  const { denial, failure, found: keysFound } = assessKeySet(await ctx.tokens.inspectKeySet(keySourceOf(rule)));
  const { results, claims } = await ctx.tokens.diagnose(assertion, workloadExpectation(rule));
  const nowS = ctx.keyClock().getTime() / 1_000;
  const problemAt = (at: "key" | "scopes") => ("problem" in found && found.at === at ? found.problem : undefined);
  return [
    step("status", ruleProblem(ctx.isOwnIssuer, rule), "The rule is enabled."),
    step("key", problemAt("key"), "The key of the rule is usable."),
    step("scopes", problemAt("scopes"), "The key has scopes of the rule."),
    {
      ...step(
        "key_set",
        denial === null ? undefined : "The key set has no usable key.",
        "The key set has a usable key.",
      ),
      ...{ expected: "a JWK set with a usable key", found: keysFound },
      ...(failure !== "" && { detail: failure }),
    },
    ...results.map(ofWorkload),
    ...(claims === undefined
      ? []
      : [
          ...diagnose([LIFETIME], { claims, nowS }, undefined),
          ...diagnose([CLAIM_RULES], claims, rule).map(ofWorkload),
        ]),
  ];
}

function step(name: AssertionStep["name"], problem: string | undefined, passes: string): AssertionStep {
  return { name, passed: problem === undefined, expected: "", found: "", detail: problem ?? passes };
}

/** The checks of users' tokens, in the words of rules. */
function ofWorkload<Step extends { readonly detail: string }>(result: Step): Step {
  const detail = result.detail
    .replaceAll("user token", "token")
    .replaceAll("the key's claimRules", "the rule's claimRules");
  return { ...result, detail };
}
