import type { Claims, KeySource, TokenExpectation } from "../identity/claims.ts";
import type { KeySetReport } from "../identity/key-set-report.ts";

/** Judges a user's token: signature, algorithm, issuer, audience and times. Throws `Denial`. */
export interface TokenVerifier {
  verify(token: string, expected: TokenExpectation): Promise<Claims>;
  /** Whether the provider's keys are at hand, so that a token that names one of them is judged without asking anybody. */
  hasKeys(source: KeySource): boolean;
  /** What is at the provider now. Fetches its key set, as seldom as `verify` may. Takes 6 s at most, and never rejects. */
  inspectKeySet(source: KeySource): Promise<KeySetReport>;
}
