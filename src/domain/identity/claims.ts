import { isJsonObject } from "../json-object.ts";

/** The payload of a verified token. */
export type Claims = Readonly<Record<string, unknown>>;

/** What a user's token must satisfy. */
export interface TokenExpectation {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** Who configured the URL. */
  readonly jwksOwner: JwksOwner;
}

/** Where the keys of a provider are. */
export type KeySource = Pick<TokenExpectation, "jwksUrl" | "jwksOwner">;

/**
 * A tenant's URLs are fetched only from public addresses, and each tenant has its own share of fetches and cache. The
 * operator's URLs have no such restrictions.
 */
export type JwksOwner = { readonly kind: "operator" } | { readonly kind: "tenant"; readonly tenantId: string };

/**
 * Finds a claim by its literal name first, then by its dotted path. Only own properties of plain objects count, so that
 * `constructor.name` or `__proto__.x` never resolve to something inherited.
 */
export function findClaim(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split(".")) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** The first required claim that the token does not carry as exactly the expected string, if any. */
export function unmetClaim(claims: Claims, required: Readonly<Record<string, string>>): string | undefined {
  return Object.keys(required).find((name) => findClaim(claims, name) !== required[name]);
}
