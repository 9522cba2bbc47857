import { type ClaimRule, claimRuleText, unmetRule } from "./claim-rules.ts";
import { type Claims, findClaim, unmetClaim } from "./claims.ts";
import { identifierClaim, isIdentifier } from "./identifier-claim.ts";
import { claimRuleUnmet, requiredClaimUnmet, userIdNotFound, userIdTooLong } from "./refused-claims.ts";
import type { RequiredClaims } from "./required-claims.ts";
import { requireAll, type TokenCheck } from "./token-check.ts";

/** What the claims of a valid token must say of its user. */
export interface UserExpectation {
  /** Claim that holds the user id. */
  readonly userIdClaim: string;
  /** Put before the user id. */
  readonly userIdPrefix?: string | undefined;
  readonly requiredClaims: RequiredClaims;
  readonly claimRules?: readonly ClaimRule[] | undefined;
  /** Who requires the claims. */
  readonly requiredBy: "key" | "operator";
}

type Check = TokenCheck<Claims, UserExpectation>;

const USER_ID: Check = {
  name: "user_id",
  denialOf(claims, { userIdClaim, userIdPrefix = "" }) {
    const id = identifierClaim(claims, userIdClaim);
    if (id === undefined) return userIdNotFound(claims, userIdClaim);
    return isIdentifier(userIdPrefix + id) ? undefined : userIdTooLong(userIdClaim);
  },
  needed: ({ userIdClaim, userIdPrefix }) =>
    `an id in the claim ${userIdClaim}${userIdPrefix === undefined ? "" : `, after the prefix ${userIdPrefix}`}`,
  found: (claims, { userIdClaim }) => findClaim(claims, userIdClaim),
  passes: "The user id is found.",
};

const REQUIRED_CLAIMS: Check = {
  name: "required_claims",
  denialOf(claims, { requiredClaims, requiredBy }) {
    const unmet = unmetClaim(claims, requiredClaims);
    return unmet === undefined ? undefined : requiredClaimUnmet(claims, unmet, requiredBy);
  },
  needed: ({ requiredClaims }) =>
    Object.keys(requiredClaims).length === 0 ? undefined : JSON.stringify(requiredClaims),
  found: (claims, { requiredClaims }) => foundIn(claims, Object.keys(requiredClaims)),
  passes: "The token has all required claims.",
};

/** What a rule of another configuration may check, too. */
export const CLAIM_RULES: TokenCheck<Claims, Pick<UserExpectation, "claimRules">> = {
  name: "claim_rules",
  denialOf(claims, { claimRules = [] }) {
    const unmet = unmetRule(claims, claimRules);
    return unmet === undefined ? undefined : claimRuleUnmet(claims, unmet);
  },
  needed: ({ claimRules }) => claimRules?.map(claimRuleText).join("; "),
  found: (claims, { claimRules = [] }) =>
    foundIn(
      claims,
      claimRules.map(({ claim }) => claim),
    ),
  passes: "The token satisfies all rules.",
};

/** The checks of the user of a valid token, in their order. */
export const USER_CHECKS: readonly Check[] = [USER_ID, REQUIRED_CLAIMS, CLAIM_RULES];

/** The id of the user of a valid token. Throws `Denial`. */
export function checkedUser(claims: Claims, expected: UserExpectation): string {
  requireAll(USER_CHECKS, claims, expected);
  const id = identifierClaim(claims, expected.userIdClaim);
  if (id === undefined) throw userIdNotFound(claims, expected.userIdClaim);
  return (expected.userIdPrefix ?? "") + id;
}

/** A list of pairs: a claim may be named like a member that objects inherit. */
function foundIn(claims: Claims, names: readonly string[]): unknown {
  return names.map((name) => [name, findClaim(claims, name) ?? null]);
}
