import { Denial } from "../vocabulary/denial.ts";
import { kindOf } from "../vocabulary/json-kind.ts";
import { quotable } from "../vocabulary/request-fault.ts";
import type { ClaimRule } from "./claim-rules.ts";
import { type AudienceClaim, type Claims, findClaim, type TokenExpectation, type TokenType } from "./claims.ts";

// Once its signature is verified, messages may quote a token's claims: they are the caller's own, and their issuer signed
// them. Messages never quote the configured value. They may say that it differs only in a slash or in case: such a token
// already contains the rest of the value.

type Audience = TokenExpectation["audience"];

/** More entries of an `aud` would only make the message longer. */
const AUDIENCES_SHOWN_MAX = 2;
/** The year 5138 in seconds. A larger value was probably given in milliseconds. */
const MILLISECONDS_FROM = 1e11;
const USER_ID = "a string of 1 to 256 characters, containing a visible character and no control characters";

/** Refuses a verified token whose `iss` is not the configured issuer. */
export function issuerDiffers(iss: unknown, issuer: string): Denial {
  return new Denial("jwt_invalid_issuer", { message: issuerProblem(iss, issuer) });
}

/**
 * Refuses a verified token whose `aud` lacks the configured audience, or has a member that is not a string; or one without
 * `aud` by the claim that is read in its place.
 */
export function audienceDiffers(found: unknown, audience: Audience, claim: AudienceClaim = "aud"): Denial {
  const message = claim === "aud" ? audienceProblem(found, audience) : otherAudienceProblem(found, audience, claim);
  return new Denial("jwt_invalid_audience", { message });
}

/** Refuses a verified token that was issued to another app than the configured ones. */
export function partyNotAuthorized(claim: "azp" | "client_id", party: unknown): Denial {
  const problem =
    typeof party === "string"
      ? `The user token's ${claim} claim "${quotable(party)}" is not one of the key's authorizedParties`
      : `The user token ${party === undefined ? `lacks the claim ${claim}` : `has the claim ${claim} as ${kindOf(party)}`}, which must be one of the key's authorizedParties`;
  return new Denial("jwt_invalid_audience", { message: `${problem}; send a token that was issued to one of them.` });
}

/** Refuses a verified token with the typ `JOSE` that is not a JWT-SVID. */
export function notSvid(): Denial {
  return new Denial("jwt_malformed", {
    message:
      "The user token's header has the typ JOSE, and its sub is not a SPIFFE ID; send a token with typ JWT, at+jwt or none.",
  });
}

/** Refuses a verified token that is not of the configured type. */
export function otherTokenType(tokenType: TokenType): Denial {
  return new Denial("jwt_malformed", {
    message:
      tokenType === "access"
        ? "The user token's header does not have the typ at+jwt, and the key takes access tokens only; send an access token whose issuer marks it so (RFC 9068)."
        : "The user token is an access token, as its typ at+jwt says, and the key takes ID tokens only; send the user's ID token.",
  });
}

/** Refuses a verified token past its `exp`, in seconds. */
export function expired(exp: number): Denial {
  const since = instant(exp);
  if (since === undefined) return new Denial("jwt_expired");
  return new Denial("jwt_expired", {
    message: `The user token expired at ${since}; have the user sign in again, or refresh the token.`,
  });
}

/** Refuses a verified token that is not valid yet, or was issued in the future. `value` is in seconds. */
export function inFuture(claim: "nbf" | "iat", value: number): Denial {
  return new Denial("jwt_malformed", { message: futureProblem(claim, value) });
}

/** Refuses a verified token without a user id in the claim that holds it. */
export function userIdNotFound(claims: Claims, claim: string): Denial {
  const name = quotable(claim);
  const value = findClaim(claims, claim);
  const problem =
    value === undefined
      ? `lacks the claim ${name}, which holds the user id`
      : `has the claim ${name}, which holds the user id, as ${unusable(value)}`;
  return new Denial("user_id_claim_not_found", {
    message: `The user token ${problem}; issue it with that claim as ${USER_ID}.`,
  });
}

/** Refuses a verified token that does not carry a claim that the key, or the operator for dashboard users, requires. */
export function requiredClaimUnmet(claims: Claims, claim: string, requiredBy: "key" | "operator"): Denial {
  return new Denial("jwt_malformed", {
    message: `The user token ${unmet(findClaim(claims, claim))} the required claim ${quotable(claim)}; send a token that has it with the value that the ${requiredBy} requires.`,
  });
}

/** Refuses a verified token whose user id is too long after the configured prefix. */
export function userIdTooLong(claim: string): Denial {
  return new Denial("user_id_claim_not_found", {
    message: `The user token has a user id in the claim ${quotable(claim)} that is longer than 256 characters after the key's userIdPrefix; issue it with a shorter one.`,
  });
}

/** Refuses a verified token that does not satisfy a rule of the key. */
export function claimRuleUnmet(claims: Claims, rule: ClaimRule): Denial {
  const has = findClaim(claims, rule.claim) === undefined ? "does not carry" : "has another value in";
  return new Denial("jwt_malformed", {
    message: `The user token ${has} the claim ${quotable(rule.claim)}; send a token that has it as the key's claimRules say.`,
  });
}

function issuerProblem(iss: unknown, issuer: string): string {
  if (iss === undefined)
    return "The user token lacks the claim iss; have its issuer add it, equal to the configured issuer.";
  if (typeof iss !== "string") {
    return `The user token's iss claim is ${kindOf(iss)} instead of a string; have its issuer make it one.`;
  }
  const shown = `The user token's iss claim "${quotable(iss)}"`;
  const slip = slipBetween(iss, issuer);
  return slip === undefined
    ? `${shown} differs from the configured issuer; send a token of that issuer.`
    : `${shown} differs from the configured issuer only in ${slip}; set both to the same text.`;
}

function audienceProblem(aud: unknown, audience: Audience): string {
  if (aud === undefined) {
    return "The user token lacks the claim aud; send a token that has it, such as the ID token, or have its issuer add the configured audience.";
  }
  const texts: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!texts.every((text) => typeof text === "string")) {
    return "The user token's aud claim must be a string or an array of strings; have its issuer make it so.";
  }
  if (texts.length === 0)
    return "The user token's aud claim is an empty array; send a token issued for the configured audience.";
  const shown = texts.slice(0, AUDIENCES_SHOWN_MAX).map((text) => `"${quotable(text)}"`);
  const more = texts.length > shown.length ? ` and ${texts.length - shown.length} more` : "";
  const found = `The user token's aud claim ${shown.join(", ")}${more}`;
  const [only = ""] = texts;
  const slip = texts.length === 1 ? slipOf(only, audience) : undefined;
  if (slip !== undefined)
    return `${found} differs from the configured audience only in ${slip}; set both to the same text.`;
  return texts.length === 1
    ? `${found} differs from the configured audience; send a token issued for that audience.`
    : `${found} does not have the configured audience; send a token issued for that audience.`;
}

/** Of a token without `aud`. */
function otherAudienceProblem(found: unknown, audience: Audience, claim: AudienceClaim): string {
  if (found === undefined) {
    return `The user token lacks the claim aud, and ${claim}, which the key reads in its place; send a token that has one of them.`;
  }
  if (typeof found !== "string") {
    return `The user token's ${claim} claim is ${kindOf(found)} instead of a string; have its issuer make it one.`;
  }
  const shown = `The user token lacks the claim aud, and its ${claim} claim "${quotable(found)}"`;
  const slip = slipOf(found, audience);
  return slip === undefined
    ? `${shown} differs from the configured audience; send a token issued for that audience.`
    : `${shown} differs from the configured audience only in ${slip}; set both to the same text.`;
}

function futureProblem(claim: "nbf" | "iat", value: number): string {
  const since = instant(value);
  if (value >= MILLISECONDS_FROM) {
    return `The user token's claim ${claim} is in milliseconds; have its issuer give it in seconds.`;
  }
  return claim === "nbf"
    ? `The user token's claim nbf lies in the future: the token is valid from ${since} on; use it from then on, or set its issuer's clock.`
    : `The user token's claim iat lies in the future, at ${since}; set its issuer's clock.`;
}

/** Of several audiences, the one that was meant is unknown. */
function slipOf(found: string, audience: Audience): string | undefined {
  return typeof audience === "string" ? slipBetween(found, audience) : undefined;
}

/** The small difference between a text that was found and the configured one, if it is one that people overlook. */
export function slipBetween(found: string, expected: string): string | undefined {
  if (found === `${expected}/`) return "the slash at its end, which the configuration lacks";
  if (`${found}/` === expected) return "the slash at its end, which the claim lacks";
  if (found.toLowerCase() === expected.toLowerCase()) return "upper and lower case";
  if (found.trim() === expected.trim()) return "the white space around it";
  const scheme = /^https?:/;
  return scheme.test(found) && found.replace(scheme, "") === expected.replace(scheme, "")
    ? "its scheme, http or https"
    : undefined;
}

function unusable(value: unknown): string {
  if (typeof value !== "string") return kindOf(value);
  if (value === "") return "an empty string";
  return "a string that is too long, blank or has a control character";
}

function unmet(value: unknown): string {
  if (value === undefined) return "does not carry";
  return typeof value === "string" ? "has another value in" : `has ${kindOf(value)} instead of a string in`;
}

/** A time in seconds as ISO 8601 in UTC. Undefined: no `Date` can hold it. */
function instant(seconds: number): string | undefined {
  const date = new Date(Math.trunc(seconds) * 1_000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(".000Z", "Z");
}
