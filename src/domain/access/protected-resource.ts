import { Denial } from "../vocabulary/denial.ts";
import { parseForeignJson } from "../vocabulary/foreign-json.ts";
import { isJsonObject } from "../vocabulary/json-object.ts";
import { anyGrants } from "./scopes.ts";

/** What stands behind a proxy, as a resource of OAuth 2.0 (RFC 9728). */
export interface ProtectedResource {
  /** As it was configured: clients send it to the issuer, which may compare it as text. */
  readonly url: string;
  /** As the `aud` of tokens is compared with it. */
  readonly id: string;
  readonly authorizationServers: readonly string[];
  /** The scopes that these issuers grant for it. None: only the user's rights decide. */
  readonly scopes: readonly string[];
  /** Where its metadata is. */
  readonly metadataUrl: string;
}

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** The well-known path comes before the path of the resource (RFC 9728, 3.1). `url` is one that can be parsed. */
export function protectedResource(
  url: string,
  authorizationServers: readonly string[],
  scopes: readonly string[],
): ProtectedResource {
  const { origin, pathname, href } = new URL(url);
  const metadataUrl = `${origin}${WELL_KNOWN}${pathname === "/" ? "" : pathname}`;
  return { url, id: href, authorizationServers, scopes, metadataUrl };
}

/**
 * Denies a token that is not for the resource (RFC 8707). The token is verified already: a provider's tokens for all of its
 * audiences are.
 */
export function requireAudience({ id }: ProtectedResource, token: string): void {
  if (textsOf(claimsOf(token).aud).some((audience) => URL.parse(audience)?.href === id)) return;
  throw new Denial("jwt_invalid_audience", {
    message:
      "The user token's aud claim does not name this resource; have the client ask for a token with this resource's URL as its resource parameter.",
  });
}

/** Denies a verified token that was not granted what is asked for of the resource's scopes. */
export function requireTokenScopes({ scopes }: ProtectedResource, token: string, asked: readonly string[]): void {
  const held = scopesOf(token);
  const lacked = asked.find((one) => scopes.includes(one) && !anyGrants(held, one));
  if (lacked === undefined) return;
  throw new Denial("insufficient_scope", {
    scope: lacked,
    message: `This token was not granted the scope ${lacked}; have the client ask the user for it.`,
  });
}

/** RFC 6749, 3.3: what a challenge can hold. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** The scopes to ask for where a client's verified token lacks some: them and those that the token has, which it would lose else. */
export function scopesToAskFor(asked: readonly string[], token: string): readonly string[] {
  return [...new Set([...asked, ...scopesOf(token).filter((scope) => SCOPE.test(scope))])];
}

function scopesOf(token: string): readonly string[] {
  const { scope, scp } = claimsOf(token);
  return [...textsOf(scope), ...textsOf(scp)].flatMap((text) => text.split(" "));
}

function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const [, payload = ""] = token.split(".");
  try {
    const claims = parseForeignJson(Buffer.from(payload, "base64url").toString());
    return isJsonObject(claims) ? claims : {};
  } catch {
    return {};
  }
}

function textsOf(claim: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return list.filter((one) => typeof one === "string");
}
