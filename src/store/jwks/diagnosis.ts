import type { Claims, TokenExpectation } from "../../domain/tokens/claims.ts";
import { type CheckResult, diagnose, shown, type TokenCheckName } from "../../domain/tokens/token-check.ts";
import { TOKEN_CHECKS } from "../../domain/tokens/token-checks.ts";
import type { TokenDiagnosis } from "../../domain/tokens/token-verifier.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import { ALGORITHMS } from "./algorithms.ts";
import { type CompactToken, payloadText } from "./compact-token.ts";
import type { KeySet } from "./key-set.ts";

/** The steps until the claims are known. Each throws `Denial`. They run in this order, for requests and diagnoses. */
export interface TokenSteps {
  parse(text: string): CompactToken;
  requireAlgorithm(token: CompactToken): void;
  /** The set with the key that signed the token. */
  checkSignature(token: CompactToken, expected: TokenExpectation): Promise<KeySet>;
  /** Undefined: the payload is not UTF-8. */
  readClaims(payload: string | undefined): Claims;
}

/**
 * Runs the steps of a request one by one and shows each. After a signature that does not verify, the claims are still
 * checked: they say why, such as another issuer. It is for those who may read the configuration, and uses no cache.
 */
export async function diagnoseToken(
  steps: TokenSteps,
  text: string,
  expected: TokenExpectation,
  nowS: () => number,
): Promise<TokenDiagnosis> {
  const results: CheckResult[] = [];

  /** Undefined: the step failed. */
  async function run<T>(show: Shown, step: () => T | Promise<T>): Promise<T | undefined> {
    try {
      const value = await step();
      results.push(resultOf(show, undefined));
      return value;
    } catch (err) {
      if (!(err instanceof Denial)) throw err;
      results.push(resultOf(show, err));
      return undefined;
    }
  }

  const token = await run(FORM, () => steps.parse(text));
  if (token === undefined) return { results, claims: undefined };
  const { alg, kid, kind } = token;
  const isAccepted = await run(algorithmShown(alg), () => {
    steps.requireAlgorithm(token);
    return true;
  });
  if (isAccepted) await run(signatureShown(kid), () => steps.checkSignature(token, expected));
  const claims = await run(PAYLOAD, () => steps.readClaims(payloadText(token)));
  if (claims !== undefined) results.push(...diagnose(TOKEN_CHECKS, { claims, kind, nowS: nowS() }, expected));
  return { results, claims };
}

interface Shown {
  readonly name: TokenCheckName;
  readonly expected: string;
  readonly found: string;
  readonly passes: string;
}

const FORM: Shown = {
  name: "form",
  expected: "a signed JWT: three base64url parts separated by dots",
  found: "",
  passes: "The token is a JWT whose header can be read.",
};

const PAYLOAD: Shown = {
  name: "payload",
  expected: "a JSON object of claims, not of a logout token",
  found: "",
  passes: "The claims can be read.",
};

function algorithmShown(alg: string): Shown {
  const expected = [...ALGORITHMS.keys()].join(", ");
  return { name: "algorithm", expected, found: shown(alg), passes: "The algorithm is accepted." };
}

function signatureShown(kid: string | undefined): Shown {
  const found = kid === undefined ? "no kid" : `kid ${shown(kid)}`;
  return {
    name: "signature",
    expected: "a key of the key set",
    found,
    passes: "A key of the key set signed the token.",
  };
}

function resultOf({ name, expected, found, passes }: Shown, denial: Denial | undefined): CheckResult {
  return { name, passed: denial === undefined, expected, found, detail: denial?.message ?? passes };
}
