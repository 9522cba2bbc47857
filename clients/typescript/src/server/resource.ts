import { isCleartext } from "../base-url.ts";
import { checkOptions, namesOf } from "../known-options.ts";
import { checkedScopes } from "./scopes.ts";

/** The guarded service as an OAuth 2.0 resource (RFC 9728, RFC 8707), such as an MCP server. */
export interface ResourceOptions {
  /**
   * Its URL as clients call it: `https://mcp.example.com/mcp`, without user name, password, query and fragment. It begins with
   * `https://`, but on this machine or with `insecureHttp`. A token must have it in its `aud`, compared as URLs are: scheme and host
   * in lower case, without the default port, and the path exactly.
   */
  readonly url: string;
  /** The issuers that give tokens for it, at least one: `["https://idp.example.com"]`. */
  readonly authorizationServers: readonly string[];
  /**
   * The scopes that these issuers grant for it. Of them, a token without an API key must have in its `scope` or `scp` what a
   * request needs, besides the rights of its user. Default: none; only the user's rights decide.
   */
  readonly scopes?: readonly string[] | undefined;
}

/** A resource whose options are checked. */
export interface Resource {
  /** As tokens are compared with it. */
  readonly id: string;
  /** Where its metadata is (RFC 9728, 3.1): the well-known path comes before the path of the resource. */
  readonly metadataUrl: string;
  readonly scopes: readonly string[];
  /** The metadata, in JSON. */
  readonly metadata: string;
}

const OPTIONS = namesOf<ResourceOptions>({ url: true, authorizationServers: true, scopes: true });
const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** Throws a `TypeError` that names the option. */
export function checkedResource(
  options: ResourceOptions | undefined,
  insecureHttp: boolean | undefined,
  known: readonly string[],
): Resource | undefined {
  if (options === undefined) return undefined;
  checkOptions(options, OPTIONS, "resource");
  const { url: text, authorizationServers, scopes = [] } = options;
  const url = checkedUrl(text, "resource.url", insecureHttp);
  if (/[?#]/.test(text)) throw new TypeError("resource.url must be without query and fragment");
  if (!Array.isArray(authorizationServers) || authorizationServers.length === 0)
    throw new TypeError('resource.authorizationServers must list at least one issuer, as ["https://idp.example.com"]');
  for (const [index, server] of authorizationServers.entries())
    checkedUrl(server, `resource.authorizationServers[${index}]`, insecureHttp);
  if (!Array.isArray(scopes)) throw new TypeError("resource.scopes must be a list of scopes");
  const metadata = {
    // As it was written: clients send it to the issuer, which may compare it as text.
    resource: text.trim(),
    authorization_servers: authorizationServers.map((server) => server.trim()),
    ...(scopes.length > 0 && { scopes_supported: checkedScopes(scopes, known) }),
    bearer_methods_supported: ["header"],
  };
  return {
    id: url.href,
    metadataUrl: `${url.origin}${WELL_KNOWN}${url.pathname === "/" ? "" : url.pathname}`,
    scopes: [...scopes],
    metadata: JSON.stringify(metadata),
  };
}

/** An audience as it is compared. Undefined: it is not a URL. */
export function resourceId(audience: string): string | undefined {
  return parsed(audience)?.href;
}

/** The answer to a request for the metadata, by its method and the path that it asks for; undefined for any other request. */
export function metadataAnswer(
  resource: Resource | undefined,
  method: string | undefined,
  target: string | undefined,
): { readonly status: number; readonly headers: Headers; readonly body: string } | undefined {
  if (resource === undefined || pathOf(target) !== new URL(resource.metadataUrl).pathname) return undefined;
  // It is public: pages of any origin may read it.
  const headers = new Headers({ "Access-Control-Allow-Origin": "*" });
  switch (method) {
    case "GET":
    case "HEAD":
      headers.set("Content-Type", "application/json");
      headers.set("Cache-Control", "max-age=3600");
      return { status: 200, headers, body: method === "GET" ? resource.metadata : "" };
    case "OPTIONS":
      headers.set("Access-Control-Allow-Headers", "*");
      return { status: 204, headers, body: "" };
    default:
      headers.set("Allow", "GET, HEAD, OPTIONS");
      return { status: 405, headers, body: "" };
  }
}

function pathOf(target = ""): string {
  return (target.startsWith("/") ? target : (parsed(target)?.pathname ?? "")).replace(/\?.*$/s, "");
}

function checkedUrl(value: unknown, name: string, insecureHttp: boolean | undefined): URL {
  const url = typeof value === "string" ? parsed(value.trim()) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.username + url.password !== "")
    throw new TypeError(`${name} must be a URL that begins with https://, without user name and password`);
  if (isCleartext(url) && insecureHttp !== true)
    throw new TypeError(`${name} must begin with https://; in a private network give insecureHttp: true`);
  return url;
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
