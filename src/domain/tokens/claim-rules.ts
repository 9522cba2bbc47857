import { isExactNumber, MUST_BE_KEPT } from "../vocabulary/foreign-json.ts";
import { kindOf } from "../vocabulary/json-kind.ts";
import { isJsonObject } from "../vocabulary/json-object.ts";
import { quotable } from "../vocabulary/request-fault.ts";
import { longerThan } from "../vocabulary/text-length.ts";
import { claimNames } from "./claim-names.ts";
import { type Claims, findClaim } from "./claims.ts";

/** A rule about a claim. `claim` is a name, or a path with dots. */
export type ClaimRule =
  | { readonly claim: string; readonly equals: string | number | boolean }
  /** A text among the elements of the claim; see `elementsOf`. */
  | { readonly claim: string; readonly contains: string };

const RULES_MAX = 32;
const CLAIM_CHARS_MAX = 256;
const VALUE_CHARS_MAX = 1_024;
const FORMS = '{"claim": "email_verified", "equals": true} or {"claim": "groups", "contains": "staff"}';

/** The first rule that the claims do not satisfy, if any. A rule of an unknown form is satisfied by none. */
export function unmetRule(claims: Claims, rules: readonly ClaimRule[]): ClaimRule | undefined {
  return rules.find((rule) => {
    const value = findClaim(claims, rule.claim);
    if (!("equals" in rule)) return !elementsOf(rule.claim, value).includes(rule.contains);
    return value !== rule.equals || (typeof value === "number" && !isExactNumber(value));
  });
}

/** The claims whose text is a list by their standards (RFC 8693, 4.2; `scp` is Entra's and Okta's). */
const SPACE_SEPARATED: ReadonlySet<string> = new Set(["scope", "scp"]);

/**
 * What a claim contains: the elements of a list, the members of an object as `claimNames` has them, and the words of `scope` and
 * `scp`. Any other text contains nothing: where users choose a part of it, such as of `sub` or `name`, a word would be theirs to add.
 */
function elementsOf(claim: string, value: unknown): readonly string[] {
  return typeof value === "string" && !SPACE_SEPARATED.has(claim) ? [] : claimNames(value);
}

/** Claims that all tokens of an issuer share, or that say nothing of who presents one. */
const PIN_NOTHING = ["iss", "aud", "exp", "iat", "nbf", "jti"];

/** Whether one of the rules is about a claim of the token's subject, and not just a path into one that all tokens share. */
export function pinSubject(rules: readonly ClaimRule[]): boolean {
  return rules.some(({ claim }) => !PIN_NOTHING.some((name) => claim === name || claim.startsWith(`${name}.`)));
}

/** A rule as a diagnosis shows it. */
export function claimRuleText(rule: ClaimRule): string {
  return "equals" in rule
    ? `${rule.claim} equals ${JSON.stringify(rule.equals)}`
    : `${rule.claim} contains ${JSON.stringify(rule.contains)}`;
}

/** Rules from parsed JSON, or the problem with them, as what follows their name. */
export function readClaimRules(value: unknown): readonly ClaimRule[] | string {
  if (!Array.isArray(value)) return `must be an array of rules, not ${kindOf(value)}`;
  if (value.length === 0) return "must have a rule; leave it out if claims need not satisfy any";
  if (value.length > RULES_MAX) return `must be at most ${RULES_MAX} rules`;
  const rules: ClaimRule[] = [];
  for (const [index, each] of value.entries()) {
    const rule = readRule(each);
    if (typeof rule === "string") return `rule ${index} ${rule}`;
    rules.push(rule);
  }
  return rules;
}

function readRule(value: unknown): ClaimRule | string {
  if (!isJsonObject(value)) return `must be an object such as ${FORMS}, not ${kindOf(value)}`;
  const { claim, ...rest } = value;
  const [kind, another] = Object.keys(rest);
  if (typeof claim !== "string" || claim === "") return "must name a claim, as a text in claim";
  if (longerThan(claim, CLAIM_CHARS_MAX)) return `must name a claim of at most ${CLAIM_CHARS_MAX} characters`;
  if (another !== undefined || (kind !== "equals" && kind !== "contains"))
    return `must have claim and exactly one of equals and contains, such as ${FORMS}${unknownMember(rest)}`;
  const operand = rest[kind];
  if (typeof operand === "string" && longerThan(operand, VALUE_CHARS_MAX))
    return `must have a text of at most ${VALUE_CHARS_MAX} characters in ${kind}`;
  if (kind === "contains") {
    return typeof operand === "string" && operand !== ""
      ? { claim, contains: operand }
      : `must have a text that is not empty in contains, not ${operand === "" ? "an empty one" : kindOf(operand)}`;
  }
  if (typeof operand === "number" && !isExactNumber(operand)) return MUST_BE_KEPT;
  return typeof operand === "string" || typeof operand === "boolean" || typeof operand === "number"
    ? { claim, equals: operand }
    : `must have a text, a number or a boolean in equals, not ${kindOf(operand)}`;
}

function unknownMember(rest: Readonly<Record<string, unknown>>): string {
  const unknown = Object.keys(rest).find((name) => name !== "equals" && name !== "contains");
  return unknown === undefined ? "" : `; it has the unknown member "${quotable(unknown)}"`;
}
