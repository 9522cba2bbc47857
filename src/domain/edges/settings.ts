import type { Scope } from "../access/catalogue.ts";
import type { ProtectedResource } from "../access/protected-resource.ts";
import type { TokenExpectation } from "../tokens/claims.ts";

/**
 * Version of the rules by which a call with a key is decided. An edge decides alone only where the service has the same ones, so
 * raise it with each change of what decides: a member of a key's record that restricts it, a check, a denial, a built-in scope.
 */
export const RULES = 1;

/** What of the service's configuration decides about calls with keys. */
export interface EdgeSettings {
  /** The platform's own scopes. */
  readonly ownScopes: readonly Scope[];
  readonly operatorTenant: string | null;
  readonly keyBrand: string | null;
  /** CIDRs of the proxies that the service trusts, and the header that they write. */
  readonly trustedProxies: {
    readonly ranges: readonly string[];
    readonly header: "X-Forwarded-For" | "Forwarded" | null;
  };
  /** The upstream of the proxies that ask, as a resource of OAuth. Null: no resource. */
  readonly resource: ProtectedResource | null;
  /** The edge's own address as the service sees it: that of the guarded service. Null: not known. */
  readonly address: string | null;
  /** Whether samples of admitted requests and denials are kept. */
  readonly keepsRequests: boolean;
}

/** The checks of a token, as text, to compare the edge's record of a key with the service's. */
export function expectationText(expected: TokenExpectation): string {
  return JSON.stringify(expected);
}
