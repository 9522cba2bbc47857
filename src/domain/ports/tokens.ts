import type { Claims, KeySource, TokenExpectation } from "../identity/claims.ts";
import type { KeySetReport } from "../identity/key-set-report.ts";

/** Verifies a user's token: signature, algorithm, issuer, audience and times. Throws `Denial`. */
export interface TokenVerifier {
  verify(token: string, expected: TokenExpectation): Promise<Claims>;
  /** Reports the provider's key set. Fetches it, but no more often than `verify` may. Takes 6 s at most. Never rejects. */
  inspectKeySet(source: KeySource): Promise<KeySetReport>;
}
