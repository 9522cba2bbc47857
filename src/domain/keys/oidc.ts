import type { OidcConfig } from "../credentials/key.ts";
import { readClaimRules } from "../tokens/claim-rules.ts";
import { AUDIENCE_CLAIMS, TOKEN_TYPES } from "../tokens/claims.ts";
import { isIdentifier } from "../tokens/identifier-claim.ts";
import { checkIssuer, checkJwksUrl } from "../tokens/oidc-urls.ts";
import { type IsOwnIssuer, refuseOwnIssuer } from "../tokens/own-issuer.ts";
import { requiredClaimsProblem } from "../tokens/required-claims.ts";
import { isBlank } from "../vocabulary/blank.ts";
import { kindOf } from "../vocabulary/json-kind.ts";
import { invalid, quotable } from "../vocabulary/request-fault.ts";
import { longerThan } from "../vocabulary/text-length.ts";

/** An OIDC configuration as a caller gives it. Empty texts are absent. */
export interface OidcInput
  extends Pick<OidcConfig, "issuer" | "jwksUrl" | "audience" | "userIdClaim" | "requiredClaims"> {
  readonly audienceClaim?: string | undefined;
  /** Parsed JSON. */
  readonly authorizedParties?: unknown;
  readonly tokenType?: string | undefined;
  /** Parsed JSON. */
  readonly claimRules?: unknown;
  readonly userIdPrefix?: string | undefined;
}

/** A valid configuration whose `jwksUrl` may be yet to discover. */
export type OidcDraft = Omit<OidcConfig, "jwksUrl"> & { readonly jwksUrl: string | undefined };

/** The defaults of absent members. */
export const OIDC_DEFAULTS = { userIdClaim: "sub", audienceClaim: "aud", tokenType: "any" } as const;
const AUDIENCE_CHARS_MAX = 1_024;
const CLAIM_CHARS_MAX = 256;
const PREFIX_CHARS_MAX = 64;
const PARTIES_MAX = 32;
/**
 * Maximum number of bytes of the configuration as JSON.
 * A page of a list contains a hundred of them, and serializing longer ones would
 * block the process for all other requests. No token can carry many more claims: a request's head has at most 16 KiB.
 */
const OIDC_BYTES_MAX = 16_384;
const MEMBERS: ReadonlySet<string> = new Set([
  "issuer",
  "jwksUrl",
  "audience",
  "userIdClaim",
  "requiredClaims",
  "audienceClaim",
  "authorizedParties",
  "tokenType",
  "claimRules",
  "userIdPrefix",
] satisfies (keyof OidcConfig)[]);

/** What the operator of the service decides about configurations of tenants. */
export interface OidcRules {
  /** `host:port` of JWKS URLs that may be plain http or private. */
  readonly jwksAllowedHosts: readonly string[];
  readonly isOwnIssuer: IsOwnIssuer;
}

/** A valid OIDC configuration, or a fault that names the member to change. */
export function checkedOidc(oidc: OidcInput, { jwksAllowedHosts, isOwnIssuer }: OidcRules): OidcDraft {
  const { issuer, audience, requiredClaims } = oidc;
  refuse("issuer", issuer === "" ? "is required" : checkIssuer(issuer));
  for (const member of ["issuer", "jwksUrl"] as const)
    refuseOwnIssuer(isOwnIssuer, `publishableConfig.oidc.${member}`, oidc[member]);
  refuse("jwksUrl", jwksUrlProblem(oidc, jwksAllowedHosts));
  refuse("audience", isBlank(audience) ? AUDIENCE_REQUIRED : tooLong(audience, AUDIENCE_CHARS_MAX));
  refuse("userIdClaim", tooLong(oidc.userIdClaim, CLAIM_CHARS_MAX));
  refuse("requiredClaims", requiredClaimsProblem(requiredClaims));
  const jwksUrl = oidc.jwksUrl === "" ? undefined : oidc.jwksUrl;
  const userIdClaim = oidc.userIdClaim || OIDC_DEFAULTS.userIdClaim;
  const checked = { issuer, jwksUrl, audience, userIdClaim, requiredClaims, ...checkedOptions(oidc) };
  refuseLong(checked);
  return checked;
}

/** The same configuration with its key set's address, if it is not too long by that. */
export function withJwksUrl(draft: OidcDraft, jwksUrl: string): OidcConfig {
  const complete = { ...draft, jwksUrl };
  refuseLong(complete);
  return complete;
}

/**
 * Whether a stored configuration exists and is complete. Only validated configurations are written, but if an issuer or
 * audience were missing, a token without one would pass. A member that this version does not know may be a restriction of
 * a later one, so it makes the configuration incomplete.
 */
export function isCompleteOidc(oidc: OidcConfig | null): oidc is OidcConfig {
  if (oidc === null) return false;
  const texts = [oidc.issuer, oidc.jwksUrl, oidc.audience, oidc.userIdClaim];
  const { requiredClaims, audienceClaim, tokenType, userIdPrefix = "" } = { ...OIDC_DEFAULTS, ...oidc };
  const { authorizedParties = [], claimRules = [] } = oidc;
  return (
    texts.every((text) => typeof text === "string" && text !== "") &&
    typeof requiredClaims === "object" &&
    requiredClaims !== null &&
    AUDIENCE_CLAIMS.includes(audienceClaim) &&
    TOKEN_TYPES.includes(tokenType) &&
    typeof userIdPrefix === "string" &&
    Array.isArray(authorizedParties) &&
    Array.isArray(claimRules) &&
    Object.keys(oidc).every((member) => MEMBERS.has(member))
  );
}

/** Whether a stored configuration can be used: it is complete, and names no issuer that is refused now. */
export type IsUsableOidc = (oidc: OidcConfig | null) => oidc is OidcConfig;

/** Decides once for each configuration in memory, since each request with a publishable key asks. */
export function createUsableOidc(isOwnIssuer: IsOwnIssuer): IsUsableOidc {
  const decided = new WeakMap<OidcConfig, boolean>();
  return (oidc): oidc is OidcConfig => {
    if (oidc === null) return false;
    let isUsable = decided.get(oidc);
    if (isUsable === undefined) {
      isUsable = isCompleteOidc(oidc) && !isOwnIssuer(oidc.issuer) && !isOwnIssuer(oidc.jwksUrl);
      decided.set(oidc, isUsable);
    }
    return isUsable;
  };
}

const AUDIENCE_REQUIRED =
  "is required: without it, tokens that the provider issued to any other app would be accepted; where tokens have no aud, audienceClaim names the claim to read in its place";

type Options = Pick<OidcConfig, "audienceClaim" | "authorizedParties" | "tokenType" | "claimRules" | "userIdPrefix">;

/** The optional members that are set. */
function checkedOptions({ audienceClaim, authorizedParties, tokenType, claimRules, userIdPrefix }: OidcInput): Options {
  return {
    ...(isSet(audienceClaim) && {
      audienceClaim: oneOf("audienceClaim", audienceClaim, AUDIENCE_CLAIMS, FREE_AUDIENCE_CLAIM),
    }),
    ...(isSet(authorizedParties) && { authorizedParties: checkedParties(authorizedParties) }),
    ...(isSet(tokenType) && { tokenType: oneOf("tokenType", tokenType, TOKEN_TYPES, "") }),
    ...(isSet(claimRules) && { claimRules: checkedRules(claimRules) }),
    ...(isSet(userIdPrefix) && { userIdPrefix: checkedPrefix(userIdPrefix) }),
  };
}

const FREE_AUDIENCE_CLAIM = "; any other claim might be one that users set themselves";

function isSet<T>(value: T | undefined): value is T {
  return value !== undefined && value !== "";
}

function oneOf<T extends string>(member: string, value: string, allowed: readonly T[], why: string): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw fault(member, `must be one of ${allowed.join(", ")}${why}`);
  return found;
}

function checkedParties(value: unknown): readonly string[] {
  const member = "authorizedParties";
  if (!Array.isArray(value)) throw fault(member, `must be an array of texts, not ${kindOf(value)}`);
  if (value.length === 0) throw fault(member, "must have a value; leave it out if azp is not to be checked");
  if (value.length > PARTIES_MAX) throw fault(member, `must be at most ${PARTIES_MAX} values`);
  const parties = new Set<string>();
  for (const [index, party] of value.entries()) {
    if (typeof party !== "string" || isBlank(party))
      throw fault(member, `value ${index} must be a text with a visible character, such as the id of a client`);
    if (longerThan(party, AUDIENCE_CHARS_MAX))
      throw fault(member, `value ${index}, "${quotable(party)}...", must be at most ${AUDIENCE_CHARS_MAX} characters`);
    parties.add(party);
  }
  return [...parties];
}

function checkedRules(value: unknown): NonNullable<OidcConfig["claimRules"]> {
  const rules = readClaimRules(value);
  if (typeof rules === "string") throw fault("claimRules", rules);
  return rules;
}

function checkedPrefix(prefix: string): string {
  refuse("userIdPrefix", tooLong(prefix, PREFIX_CHARS_MAX));
  if (!isIdentifier(prefix)) throw fault("userIdPrefix", "must have a visible character and no control character");
  return prefix;
}

function jwksUrlProblem({ issuer, jwksUrl }: OidcInput, allowedHosts: readonly string[]): string | undefined {
  if (jwksUrl !== "") return checkJwksUrl(jwksUrl, allowedHosts);
  // Discovery fetches from the issuer, so the same rules hold for it.
  const problem = issuer.includes("?") ? "must not have a query" : checkJwksUrl(issuer, allowedHosts);
  return problem && `is required, because it cannot be discovered: for that, the issuer ${problem}`;
}

/** Blames the claims if there are any: without them hardly any configuration is too long. */
function refuseLong(oidc: OidcDraft): void {
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
  if (problem !== undefined) throw fault(member, problem);
}

function fault(member: string, problem: string) {
  return invalid(`publishableConfig.oidc.${member}`, problem);
}
