import { isBlank } from "../blank.ts";
import { invalid, quotable } from "../request-fault.ts";
import type { OidcConfig } from "./key.ts";
import { checkIssuerUrl, checkJwksUrl } from "./oidc-urls.ts";

/** The claim that holds the user id where the configuration names none. */
const USER_ID_CLAIM_DEFAULT = "sub";
const AUDIENCE_CHARS_MAX = 1_024;
const CLAIM_CHARS_MAX = 256;
const CLAIM_VALUE_CHARS_MAX = 1_024;
const REQUIRED_CLAIMS_MAX = 32;
/**
 * Most bytes of all of it as JSON. Answers print it, a page for a hundred keys, which nobody must make so long that to
 * print it keeps the process from everyone else. No token can carry many more claims: a request's head has 16 KiB.
 */
const OIDC_BYTES_MAX = 16_384;

/** A valid OIDC configuration, or a fault that names the member to change. */
export function checkedOidc(oidc: OidcConfig, jwksAllowedHosts: readonly string[]): OidcConfig {
  refuse("issuer", oidc.issuer === "" ? "is required" : checkIssuerUrl(oidc.issuer, jwksAllowedHosts));
  refuse("jwksUrl", oidc.jwksUrl === "" ? "is required" : checkJwksUrl(oidc.jwksUrl, jwksAllowedHosts));
  refuse("audience", isBlank(oidc.audience) ? "is required" : tooLong(oidc.audience, AUDIENCE_CHARS_MAX));
  refuse("userIdClaim", tooLong(oidc.userIdClaim, CLAIM_CHARS_MAX));
  refuse("requiredClaims", requiredClaimsProblem(oidc.requiredClaims));
  const checked = { ...oidc, userIdClaim: oidc.userIdClaim || USER_ID_CLAIM_DEFAULT };
  refuseLong(checked);
  return checked;
}

/**
 * Whether there is a stored configuration, and it says all that a token is judged by. Rows are written by the function
 * above alone, but an issuer or an audience that were missing would let any token pass that has none either.
 */
export function isCompleteOidc(oidc: OidcConfig | null): oidc is OidcConfig {
  if (oidc === null) return false;
  const texts = [oidc.issuer, oidc.jwksUrl, oidc.audience, oidc.userIdClaim];
  const { requiredClaims } = oidc;
  return (
    texts.every((text) => typeof text === "string" && text !== "") &&
    typeof requiredClaims === "object" &&
    requiredClaims !== null
  );
}

function requiredClaimsProblem(claims: OidcConfig["requiredClaims"]): string | undefined {
  const names = Object.keys(claims);
  if (names.length > REQUIRED_CLAIMS_MAX) return `must be at most ${REQUIRED_CLAIMS_MAX} claims`;
  if (names.includes("")) return "must not have a claim with an empty name";
  // Programs in JavaScript that assign it to an object, as ours might one day, lose the claim without a word.
  if (names.includes("__proto__")) return 'must not have a claim named "__proto__"';
  for (const name of names) {
    const ofName = tooLong(name, CLAIM_CHARS_MAX);
    if (ofName !== undefined) return `the name of the claim "${quotable(name)}..." ${ofName}`;
    const ofValue = tooLong(claims[name] ?? "", CLAIM_VALUE_CHARS_MAX);
    if (ofValue !== undefined) return `the value of the claim "${quotable(name)}" ${ofValue}`;
  }
  return undefined;
}

/** Names the claims where there are any: without them hardly a configuration is as long. */
function refuseLong(oidc: OidcConfig): void {
  const bytes = Buffer.byteLength(JSON.stringify(oidc));
  if (bytes <= OIDC_BYTES_MAX) return;
  const bound = `publishableConfig.oidc has at most ${OIDC_BYTES_MAX} bytes as JSON, and this one ${bytes}`;
  if (Object.keys(oidc.requiredClaims).length === 0)
    throw invalid("publishableConfig.oidc", `must be shorter; ${bound}`);
  refuse("requiredClaims", `must be fewer or shorter; all of ${bound}`);
}

/** A character has two UTF-16 units at most: what has more than twice `max` of them is not counted. */
function tooLong(text: string, max: number): string | undefined {
  const isTooLong = text.length > 2 * max || [...text].length > max;
  return isTooLong ? `must be at most ${max} characters` : undefined;
}

function refuse(member: string, problem: string | undefined): void {
  if (problem !== undefined) throw invalid(`publishableConfig.oidc.${member}`, problem);
}
