import { isIP } from "node:net";
import { isPublicAddress } from "../policy/public-address.ts";

const URL_CHARS_MAX = 2_048;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { "https:": "443", "http:": "80" };

/** What is wrong with an issuer's URL, if anything. It is compared, never fetched. */
export function checkIssuerUrl(value: string, allowedHosts: readonly string[]): string | undefined {
  return schemeProblem(value, allowedHosts);
}

/** What is wrong with the URL of a tenant's key set, if anything. What passes is checked again at the socket. */
export function checkJwksUrl(value: string, allowedHosts: readonly string[]): string | undefined {
  const problem = schemeProblem(value, allowedHosts);
  if (problem !== undefined) return problem;
  const url = new URL(value);
  if (isAllowed(url, allowedHosts)) return undefined;
  if (!isPublicHost(url.hostname)) return "must not lead to a private, loopback or otherwise non-public address";
  if (portOf(url) !== "443")
    return "must use port 443; ask the operator to list another host:port in JWKS_ALLOWED_HOSTS";
  return undefined;
}

/** Whether the operator lets tenants use this host and port, be it plain http or private. */
export function isAllowed(url: URL, allowedHosts: readonly string[]): boolean {
  return allowedHosts.includes(`${url.hostname.toLowerCase()}:${portOf(url)}`);
}

function schemeProblem(value: string, allowedHosts: readonly string[]): string | undefined {
  if (value.length > URL_CHARS_MAX) return `must be at most ${URL_CHARS_MAX} characters`;
  // URL would silently drop tabs and line breaks and trim spaces: what is compared must be what was meant.
  if (!URL.canParse(value) || /[^\x21-\x7e]/.test(value)) return "must be an absolute https URL";
  const url = new URL(value);
  const isHttps = url.protocol === "https:";
  if (!isHttps && !(url.protocol === "http:" && isAllowed(url, allowedHosts))) return "must be an absolute https URL";
  if (url.username !== "" || url.password !== "") return "must not contain credentials";
  if (value.includes("#")) return "must not contain a fragment";
  return undefined;
}

/** Odd spellings such as `2130706433` or `0x7f.1` are dotted quads by now: URL has normalised them. */
function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (isIP(host) !== 0) return isPublicAddress(host);
  return host !== "localhost" && !host.endsWith(".localhost");
}

function portOf(url: URL): string {
  return url.port || (DEFAULT_PORTS[url.protocol] ?? "");
}
