import { faultOf } from "../vocabulary/request-fault.ts";

/** The documents that this service publishes about its own tokens, below the issuer's URL. */
export const JWKS_PATH = "/.well-known/jwks.json";
/** Of RFC 8414, and of OpenID Connect Discovery. */
export const METADATA_PATHS = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];

/** Where this service is reached. */
export interface OwnPlace {
  /** `TOKEN_ISSUER`. Undefined: the service issues no tokens, and publishes no keys. */
  readonly issuer: string | undefined;
  /** `HOST`. */
  readonly host: string;
  /** `PORT` and `ADMIN_PORT`, where they are fixed. */
  readonly ports: readonly number[];
}

/** Whether a text names this service as an issuer, or is the address of what it publishes about its own tokens. */
export type IsOwnIssuer = (text: string) => boolean;

/**
 * Decides whose issuers and key sets are this service's own. Tokens of its own carry a user that any tenant may choose: taken for
 * those of an identity provider, they would let a tenant call as another tenant's user.
 *
 * Spellings that lead to one place are one place: the scheme, a default port, the case of the host, a dot or slash at the end,
 * percent-encoding, repeated slashes, query and fragment do not count.
 */
export function createOwnIssuer({ issuer, host, ports }: OwnPlace): IsOwnIssuer {
  const own = issuer === undefined ? undefined : placeOf(issuer);
  if (own === undefined) return () => false;
  const hosts = new Set([own.host, hostOf(host), THIS_MACHINE]);
  return (text) => {
    if (text === issuer) return true;
    const place = placeOf(text);
    if (place === undefined) return false;
    if (place.host === own.host && place.port === own.port && isBelow(place.path, own.path)) return true;
    // Without the proxy in front, which may remove the path of the issuer.
    const isDirect = hosts.has(place.host) && ports.includes(place.port);
    return isDirect && (isBelow(place.path, "") || isBelow(place.path, own.path));
  };
}

/** Throws for an issuer, or the address of a key set, that is this service's own. */
export function refuseOwnIssuer(isOwnIssuer: IsOwnIssuer, field: string, text: string): void {
  if (isOwnIssuer(text))
    throw faultOf("own_issuer", field, `${OWN_ISSUER}; name the identity provider that issues the tokens`);
}

/** The fault of an issuer that is this service's own, as a phrase behind its name. */
export const OWN_ISSUER = "must not lead to this service, whose own tokens let any tenant choose their user";

interface Place {
  readonly host: string;
  /** Without one in the URL it is that of https, for http too. */
  readonly port: number;
  /** Decoded, without a slash at the end. */
  readonly path: string;
}

function placeOf(text: string): Place | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined;
  const path = decoded(url.pathname)
    .replaceAll("\\", "/")
    .replace(/\/{2,}/g, "/");
  const port = Number(url.port);
  return {
    host: hostOf(url.hostname),
    port: port === 0 || port === HTTP_PORT ? HTTPS_PORT : port,
    path: path.endsWith("/") ? path.slice(0, -1) : path,
  };
}

/** A proxy may serve both ports of the web, one of them by a redirect: they are one here. */
const HTTP_PORT = 80;
const HTTPS_PORT = 443;

/** Itself, and all that an issuer publishes: below it, or before its path (RFC 8414, 3.1). */
function isBelow(path: string, issuerPath: string): boolean {
  return (
    path === issuerPath ||
    path.startsWith(`${issuerPath}/.well-known/`) ||
    (path.startsWith("/.well-known/") && path.endsWith(issuerPath))
  );
}

const THIS_MACHINE = "localhost";
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/;

function hostOf(hostname: string): string {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  return LOOPBACK.test(host) ? THIS_MACHINE : host;
}

/** A proxy may decode once more than the URL says. Escapes that are not UTF-8 stay. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
