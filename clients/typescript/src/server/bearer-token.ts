import { type Resource, resourceId } from "./resource.ts";

/** What a bearer token says of itself. It is not verified here: Latchkey does that. */
interface TokenClaims {
  /** As they are compared with a resource. */
  readonly audiences: readonly string[];
  /** Of `scope` (RFC 9068), a text, or `scp`, a text or a list. */
  readonly scopes: readonly string[];
}

/** The fit of a token for a resource: `unknown` where its claims cannot be read. */
export type TokenUse = "none" | "of_key" | "for_resource" | "for_other" | "unknown";

const RESERVED = /^(?:system|tenants):/;
/** RFC 6749, 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const BEARER = /^Bearer[ \t]+([^\s,]+)$/i;

/**
 * Which token a request counts on: a secret key counts on none, and a publishable key on its user's, whose rights are those
 * of the key.
 */
export function tokenUse(headers: Headers, resource: Resource): TokenUse {
  const key = headers.get("X-API-Key");
  if (key === null ? headers.get("Authorization") === null : !key.startsWith("pk_")) return "none";
  const claims = claimsOf(headers);
  if (claims === undefined) return "unknown";
  if (!claims.audiences.includes(resource.id)) return "for_other";
  return key === null ? "for_resource" : "of_key";
}

/** Whether the token of a request has the form of those that Latchkey issues for a secret key. */
export function presentsAccessToken(headers: Headers): boolean {
  const { sub, client_id, jti } = payloadOf(headers) ?? {};
  return begins(client_id, "key_") && sub === client_id && begins(jti, "tok_");
}

/** The scopes of the resource that are asked for and not in the request's token. */
export function scopesLackedBy(headers: Headers, resource: Resource, asked: readonly string[]): readonly string[] {
  const held = claimsOf(headers)?.scopes ?? [];
  return asked.filter((scope) => resource.scopes.includes(scope) && !isGranted(held, scope));
}

/** The scopes of the request's token, as far as a challenge can hold them. A request with a key counts on no scope of a token. */
export function scopesGrantedTo(headers: Headers): readonly string[] {
  if (headers.has("X-API-Key")) return [];
  return claimsOf(headers)?.scopes.filter((scope) => SCOPE.test(scope)) ?? [];
}

/** Whether one of the scopes and wildcards grants a scope, as Latchkey decides. */
export function isGranted(held: readonly string[], scope: string): boolean {
  return held.some((one) => one === "*" || one === scope || (one.endsWith(":*") && scope.startsWith(one.slice(0, -1))));
}

/** The same, but no for `*` where Latchkey alone knows: the reserved scopes are of the operator's own tenant. */
export function isSurelyGranted(held: readonly string[], scope: string): boolean {
  const counted = RESERVED.test(scope) ? held.filter((one) => one !== "*") : held;
  return isGranted(counted, scope);
}

function claimsOf(headers: Headers): TokenClaims | undefined {
  const payload = payloadOf(headers);
  if (payload === undefined) return undefined;
  const { aud, scope, scp } = payload;
  return {
    audiences: textsOf(aud).flatMap((audience) => resourceId(audience) ?? []),
    scopes: [...textsOf(scope), ...textsOf(scp)].flatMap((text) => text.split(" ")),
  };
}

function payloadOf(headers: Headers): Readonly<Record<string, unknown>> | undefined {
  const [, token = ""] = BEARER.exec(headers.get("Authorization")?.trim() ?? "") ?? [];
  const [, payload, signature] = token.split(".", 3);
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(decoded(payload));
    return typeof claims === "object" && claims !== null ? (claims as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function begins(claim: unknown, prefix: string): boolean {
  return typeof claim === "string" && claim.startsWith(prefix);
}

function textsOf(claim: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return list.filter((one) => typeof one === "string");
}

function decoded(base64url: string): string {
  const bytes = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
}
