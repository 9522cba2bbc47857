import { isAllowedHost } from "../domain/addresses/tenant-url.ts";
import { readClaim, readRequiredClaims } from "./access.ts";
import { isLoopback } from "./loopback.ts";
import { type Reader, refuseUserInfo } from "./reader.ts";
import type { DashboardProvider } from "./settings.ts";

/** Another claim holds the identity provider's own organizations. */
export const TENANT_CLAIM_DEFAULT = "tenant_id";

/**
 * Whether the identity provider's own organizations are the tenants: its tokens name them by another claim, and organizations
 * here reach no token.
 */
export function areTenantsAdopted(config: {
  readonly dashboard: Pick<DashboardProvider<string | undefined>, "tenantClaim"> | null;
  readonly identityHookSecrets: readonly string[];
  readonly tenantFromMembership: boolean;
}): boolean {
  const { dashboard, identityHookSecrets, tenantFromMembership } = config;
  const hasOtherClaim = (dashboard?.tenantClaim ?? TENANT_CLAIM_DEFAULT) !== TENANT_CLAIM_DEFAULT;
  return hasOtherClaim && identityHookSecrets.length === 0 && !tenantFromMembership;
}

const FORGEABLE =
  "must begin with https://, because anyone on the network could replace keys that are fetched over http; where you trust every machine between, add the URL's host:port to JWKS_ALLOWED_HOSTS";

/** Requires issuer and audience, or nothing. Without a key set, its address is to be discovered from the issuer. */
export function readDashboard(
  reader: Reader,
  jwksAllowedHosts: readonly string[],
): DashboardProvider<string | undefined> | null {
  const issuer = reader.url("OIDC_ISSUER", ["https:", "http:"]);
  const jwksUrl = reader.url("OIDC_JWKS_URL", ["https:", "http:"]);
  refuseUserInfo(reader, "OIDC_JWKS_URL", jwksUrl, "name a key set that is public");
  if (jwksUrl !== undefined && !isUnforgeable(jwksUrl, jwksAllowedHosts)) reader.refuse("OIDC_JWKS_URL", FORGEABLE);
  const audience = readAudience(reader);
  const userIdClaim = readClaim(reader, "OIDC_USER_ID_CLAIM") ?? "sub";
  const tenantClaim = readClaim(reader, "OIDC_TENANT_CLAIM") ?? TENANT_CLAIM_DEFAULT;
  const requiredClaims = readRequiredClaims(reader);
  const names = ["OIDC_ISSUER", "OIDC_JWKS_URL", "OIDC_AUDIENCE"];
  const isSet = (name: string) => reader.text(name) !== undefined;
  if (!names.some(isSet)) return null;
  for (const name of ["OIDC_ISSUER", "OIDC_AUDIENCE"]) {
    if (!isSet(name))
      reader.refuse(name, "is required as soon as one of OIDC_ISSUER, OIDC_JWKS_URL and OIDC_AUDIENCE is set");
  }
  if (!isSet("OIDC_JWKS_URL")) refuseUndiscoverable(reader, issuer, jwksAllowedHosts);
  if (issuer === undefined || audience === undefined) return null;
  const expectation = { issuer, jwksUrl, audience, jwksOwner: { kind: "operator" } } as const;
  return { expectation, userIdClaim, tenantClaim, requiredClaims };
}

/**
 * Whether an attacker on the network cannot replace what is fetched from this URL, or the operator trusts the network there: with a
 * key set of their own, others could sign tokens for any dashboard user.
 */
export function isUnforgeable(text: string, allowedHosts: readonly string[]): boolean {
  const url = new URL(text);
  const isTrusted = isLoopback(url.hostname) || isAllowedHost(url, allowedHosts);
  return url.protocol === "https:" || (url.protocol === "http:" && isTrusted);
}

/** One audience, or several separated by commas. */
function readAudience(reader: Reader): string | readonly string[] | undefined {
  const text = reader.text("OIDC_AUDIENCE");
  if (text === undefined) return undefined;
  const audiences = text.split(",").map((audience) => audience.trim());
  if (audiences.includes(""))
    reader.refuse("OIDC_AUDIENCE", "must be one audience, or several non-empty ones separated by commas");
  return audiences.length === 1 ? text : audiences;
}

function refuseUndiscoverable(reader: Reader, issuer: string | undefined, allowedHosts: readonly string[]): void {
  if (issuer === undefined) return;
  const remedy = "is required, because it is discovered only from an OIDC_ISSUER";
  if (/[?#]/.test(issuer)) reader.refuse("OIDC_JWKS_URL", `${remedy} without query and fragment`);
  else if (!isUnforgeable(issuer, allowedHosts))
    reader.refuse(
      "OIDC_JWKS_URL",
      `${remedy} that begins with https://, or is on this machine or in JWKS_ALLOWED_HOSTS`,
    );
}
