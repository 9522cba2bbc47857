import { isJsonObject } from "../vocabulary/json-object.ts";
import { quotable } from "../vocabulary/request-fault.ts";
import { longerThan } from "../vocabulary/text-length.ts";

const CLAIM_CHARS_MAX = 256;
const VALUE_CHARS_MAX = 1_024;
const CLAIMS_MAX = 32;

/** Claims that a token must carry: name, or path with dots, to the exact string expected. */
export type RequiredClaims = Readonly<Record<string, string>>;

/** The problem with required claims, as what follows their name. */
export function requiredClaimsProblem(claims: RequiredClaims): string | undefined {
  const names = Object.keys(claims);
  if (names.length > CLAIMS_MAX) return `must be at most ${CLAIMS_MAX} claims`;
  if (names.includes("")) return "must not have a claim with an empty name";
  // JavaScript code that assigns it to an object loses the claim silently.
  if (names.includes("__proto__")) return 'must not have a claim named "__proto__"';
  for (const name of names) {
    if (longerThan(name, CLAIM_CHARS_MAX))
      return `the name of the claim "${quotable(name)}..." must be at most ${CLAIM_CHARS_MAX} characters`;
    if (longerThan(claims[name] ?? "", VALUE_CHARS_MAX))
      return `the value of the claim "${quotable(name)}" must be at most ${VALUE_CHARS_MAX} characters`;
  }
  return undefined;
}

/** Required claims from parsed JSON; none, with a problem, if it holds something else. */
export function checkedClaims(value: unknown): { readonly claims: RequiredClaims; readonly problem?: string } {
  if (!isJsonObject(value)) return { claims: {}, problem: "must be a JSON object of claims and their values" };
  const notText = Object.keys(value).find((name) => typeof value[name] !== "string");
  if (notText !== undefined)
    return { claims: {}, problem: `the value of the claim "${quotable(notText)}" must be a string` };
  const claims = value as RequiredClaims;
  const problem = requiredClaimsProblem(claims);
  return problem === undefined ? { claims } : { claims: {}, problem };
}
