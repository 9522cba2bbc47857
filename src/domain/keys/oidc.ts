import { isBlank } from "../blank.ts";
import { requiredClaimsProblem } from "../identity/required-claims.ts";
import { invalid } from "../request-fault.ts";
import { longerThan } from "../text-length.ts";
import type { OidcConfig } from "./key.ts";
import { checkIssuerUrl, checkJwksUrl } from "./oidc-urls.ts";

/** The default claim for the user id. */
const USER_ID_CLAIM_DEFAULT = "sub";
const AUDIENCE_CHARS_MAX = 1_024;
const CLAIM_CHARS_MAX = 256;
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

/** Blames the claims if there are any: without them hardly any configuration is too long. */
function refuseLong(oidc: OidcConfig): void {
  const bytes = Buffer.byteLength(JSON.stringify(oidc));
  if (bytes <= OIDC_BYTES_MAX) return;
  const bound = `publishableConfig.oidc has at most ${OIDC_BYTES_MAX} bytes as JSON, and this one ${bytes}`;
  if (Object.keys(oidc.requiredClaims).length === 0)
    throw invalid("publishableConfig.oidc", `must be shorter; ${bound}`);
  refuse("requiredClaims", `must be fewer or shorter; all of ${bound}`);
}

function tooLong(text: string, max: number): string | undefined {
  return longerThan(text, max) ? `must be at most ${max} characters` : undefined;
}

function refuse(member: string, problem: string | undefined): void {
  if (problem !== undefined) throw invalid(`publishableConfig.oidc.${member}`, problem);
}
