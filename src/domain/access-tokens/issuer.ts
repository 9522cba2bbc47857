import type { NewAccessToken } from "../credentials/access-token.ts";

/** Signs and verifies tokens of the service's own (RFC 9068). */
export interface AccessTokenIssuer {
  /** The value of their claim `iss`. */
  readonly issuer: string;
  /** Signs a token with the active key. Throws `StoreUnavailable` if no key can be read. */
  sign(token: NewAccessToken, issuedAt: Date): Promise<string>;
  /**
   * Verifies signature, form, `typ`, `iss` and times of a token, and returns its identifier. Undefined: it is not of this
   * issuer, by its unverified claim `iss`. A text that was verified before is found in memory. Throws `Denial`.
   */
  verify(text: string): Promise<string> | string | undefined;
}
