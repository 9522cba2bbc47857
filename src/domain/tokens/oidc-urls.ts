import { isIP } from "node:net";
import { isPublicAddress } from "../addresses/public-address.ts";
import { longerThan } from "../vocabulary/text-length.ts";

/** Longest URL that is accepted. */
const URL_CHARS_MAX = 2_048;

const NOT_ABSOLUTE = "must be an absolute https URL";

/** Neither white space nor characters without a shape of their own. */
const VISIBLE = /^[^\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]+$/u;
const TEMPLATE =
  "must not contain { or }: a template, such as Entra's {tenantid}, would let in the users of every tenant of the provider; give the issuer of one, exactly as its tokens have it in iss";

/** The problem with an issuer, or undefined. It is compared with tokens and never fetched, so it need not be a URL. */
export function checkIssuer(value: string): string | undefined {
  if (longerThan(value, URL_CHARS_MAX)) return `must be at most ${URL_CHARS_MAX} characters`;
  if (/[{}]/.test(value)) return TEMPLATE;
  return VISIBLE.test(value) ? undefined : "must be visible characters, without white space and control characters";
}

/**
 * The problem with the address of a tenant's key set, or undefined. This service fetches it, so it
 * must be an https URL on port 443 whose host is not a private address or name. The addresses of a name are checked
 * again when it is resolved. Only a host of `allowedHosts` is exempt.
 */
export function checkJwksUrl(value: string, allowedHosts: readonly string[]): string | undefined {
  return checkTenantsUrl(value, allowedHosts, "JWKS_ALLOWED_HOSTS");
}

/** The same for any address of a tenant that this service sends requests to. `setting` has the operator's exceptions. */
export function checkTenantsUrl(value: string, allowedHosts: readonly string[], setting: string): string | undefined {
  const url = parseUrl(value);
  if (typeof url === "string") return url;
  if (isAllowedHost(url, allowedHosts)) return undefined;
  const operatorMay = `, unless the operator of this service allows its host and port in ${setting}`;
  if (url.protocol !== "https:") return NOT_ABSOLUTE + operatorMay;
  if (url.port !== "") return `must use port 443${operatorMay}`;
  return isPrivateHost(url.hostname) ? `must name a public host${operatorMay}` : undefined;
}

/** Whether the operator listed exactly this host and port. The scheme's port is implied where the URL has none. */
export function isAllowedHost(url: URL, allowedHosts: readonly string[]): boolean {
  const host = `${url.hostname}:${url.port || (url.protocol === "https:" ? "443" : "80")}`;
  return allowedHosts.some((allowed) => allowed.toLowerCase() === host);
}

/** The URL, or the problem with its form. */
function parseUrl(value: string): URL | string {
  if (value.length > URL_CHARS_MAX) return `must be at most ${URL_CHARS_MAX} characters`;
  if (/[\s\p{Cc}]/u.test(value)) return "must not contain whitespace or control characters";
  // The URL parser repairs `https:host`, `https:///host` and `https:\\host`; other programs read another host in them.
  if (!/^https?:\/\/[^/\\]/i.test(value) || value.includes("\\") || !URL.canParse(value)) return NOT_ABSOLUTE;
  // Searched in the text: the parsed URL does not show an empty user name or fragment.
  if (value.split(/[/?#]/, 3)[2]?.includes("@")) return "must not contain a user name or password";
  if (value.includes("#")) return "must not have a fragment";
  return new URL(value);
}

/** The URL parser has already normalised every odd spelling of an IPv4 address (2130706433, 0x7f.1, 0177.0.0.1). */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (isIP(host) !== 0) return !isPublicAddress(host);
  return host === "localhost" || host.endsWith(".localhost");
}
