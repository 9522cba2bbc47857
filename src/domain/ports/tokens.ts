import type { Claims, KeySource, TokenExpectation } from "../identity/claims.ts";

/** Judges a user's token: signature, algorithm, issuer, audience and times. Throws `Denial`. */
export interface TokenVerifier {
  verify(token: string, expected: TokenExpectation): Promise<Claims>;
  /** Whether the provider's keys are at hand, so that a token that names one of them is judged without asking anybody. */
  hasKeys(source: KeySource): boolean;
  /** Why the keys for it cannot be fetched, in words for whoever configured them; undefined if nothing is known. Asks nobody. */
  keySetTrouble(source: KeySource): string | undefined;
}
