import { isJsonObject } from "../vocabulary/json-object.ts";

/** The payload of a verified token. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * `access`: the header says `at+jwt`. `svid`: it says `JOSE`, which only JWT-SVIDs may. Not every issuer marks its access tokens, so the
 * others are `unmarked`.
 */
export type TokenKind = "access" | "svid" | "unmarked";

/** The claims that may hold the audience. */
export const AUDIENCE_CLAIMS = ["aud", "azp", "client_id"] as const;
export type AudienceClaim = (typeof AUDIENCE_CLAIMS)[number];

/** The kinds of token that a configuration may ask for. `id` refuses those that are marked as access tokens. */
export const TOKEN_TYPES = ["any", "id", "access"] as const;
export type TokenType = (typeof TOKEN_TYPES)[number];

/** What a user's token must satisfy. */
export interface TokenExpectation {
  readonly issuer: string;
  /** Several: any of them. */
  readonly audience: string | readonly string[];
  /** The claim that holds the audience of a token without `aud`. Undefined: `aud` alone does. */
  readonly audienceClaim?: AudienceClaim | undefined;
  /** The values of which `azp` must be one, or `client_id` of an access token without it. Undefined: any, or none. */
  readonly authorizedParties?: readonly string[] | undefined;
  /** Undefined: any. */
  readonly tokenType?: TokenType | undefined;
  readonly jwksUrl: string;
  /** The key set itself, as JSON. Undefined: it is fetched from `jwksUrl`. */
  readonly jwks?: string | undefined;
  /** Who configured the URL, or the key set. */
  readonly jwksOwner: JwksOwner;
}

/** Where the keys of a provider are. */
export type KeySource = Pick<TokenExpectation, "jwksUrl" | "jwks" | "jwksOwner">;

/**
 * A tenant's URLs are fetched only from public addresses, and each tenant has its own share of fetches and cache. The
 * operator's URLs have no such restrictions.
 */
export type JwksOwner = { readonly kind: "operator" } | { readonly kind: "tenant"; readonly tenantId: string };

/**
 * Finds a claim by its name or by the path to it: at every level the literal name first, then the longest prefix before a
 * dot that is a name there. So `https://example.com/roles` and `resource_access.my.client.roles` are found, too. Only own
 * properties of plain objects count, so that `constructor.name` or `__proto__.x` never resolve to something inherited.
 *
 * No object of the token is searched twice.
 */
export function findClaim(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  for (let end = path.lastIndexOf("."); end > 0; end = path.lastIndexOf(".", end - 1)) {
    const name = path.slice(0, end);
    const inner = Object.hasOwn(claims, name) ? claims[name] : undefined;
    const found = isJsonObject(inner) ? findClaim(inner, path.slice(end + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first required claim that the token does not carry as exactly the expected string, if any. */
export function unmetClaim(claims: Claims, required: Readonly<Record<string, string>>): string | undefined {
  return Object.keys(required).find((name) => findClaim(claims, name) !== required[name]);
}
