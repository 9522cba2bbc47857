import { isIP } from "node:net";
import { isPublicAddress } from "./public-address.ts";

/** Longest URL that is accepted. */
export const URL_CHARS_MAX = 2_048;

const NOT_ABSOLUTE = "must be an absolute https URL";

/**
 * The problem with a URL of a tenant that this service sends requests to, or undefined. It must be an https URL on port 443 whose host
 * is not a private address or name; the addresses of a name are checked again when it is resolved. Only a host of `allowedHosts`, the
 * operator's `setting`, is exempt.
 */
export function checkTenantUrl(value: string, allowedHosts: readonly string[], setting: string): string | undefined {
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
