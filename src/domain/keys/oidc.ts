import { isBlank } from "../blank.ts";
import { invalid, quotable } from "../request-fault.ts";
import type { OidcConfig } from "./key.ts";
import { checkIssuerUrl, checkJwksUrl } from "./oidc-urls.ts";

/** The default claim for the user id. */
const USER_ID_CLAIM_DEFAULT = "sub";
const AUDIENCE_CHARS_MAX = 1_024;
const CLAIM_CHARS_MAX = 256;
const CLAIM_VALUE_CHARS_MAX = 1_024;
const REQUIRED_CLAIMS_MAX = 32;
/**
 * Most bytes of the configuration as JSON. A page of a list contains a hundred of them, and serializing longer ones would
 * block the process for all other requests. No token can carry many more claims: a request's head has at most 16 KiB.
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
 * Whether a stored configuration exists and is complete. Only validated configurations are written, but if an issuer or
 * audience were missing, a token without one would pass.
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
  // JavaScript code that assigns it to an object loses the claim silently.
  if (names.includes("__proto__")) return 'must not have a claim named "__proto__"';
  for (const name of names) {
    const ofName = tooLong(name, CLAIM_CHARS_MAX);
    if (ofName !== undefined) return `the name of the claim "${quotable(name)}..." ${ofName}`;
    const ofValue = tooLong(claims[name] ?? "", CLAIM_VALUE_CHARS_MAX);
    if (ofValue !== undefined) return `the value of the claim "${quotable(name)}" ${ofValue}`;
  }
  return undefined;
}

/** Blames the claims if there are any: without them hardly any configuration is too long. */
function refuseLong(oidc: OidcConfig): void {
  const bytes = Buffer.byteLength(JSON.stringify(oidc));
  if (bytes <= OIDC_BYTES_MAX) return;
  const bound = `publishableConfig.oidc has at most ${OIDC_BYTES_MAX} bytes as JSON, and this one ${bytes}`;
  if (Object.keys(oidc.requiredClaims).length === 0)
    throw invalid("publishableConfig.oidc", `must be shorter; ${bound}`);
  refuse("requiredClaims", `must be fewer or shorter; all of ${bound}`);
}

/** Counts Unicode characters. A character has at most two UTF-16 units, so a much longer text need not be counted. */
function tooLong(text: string, max: number): string | undefined {
  const isTooLong = text.length > 2 * max || [...text].length > max;
  return isTooLong ? `must be at most ${max} characters` : undefined;
}

function refuse(member: string, problem: string | undefined): void {
  if (problem !== undefined) throw invalid(`publishableConfig.oidc.${member}`, problem);
}
