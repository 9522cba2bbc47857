import type { Claims, KeySource, TokenExpectation } from "./claims.ts";
import type { CheckSender } from "./confirmation.ts";
import type { KeySetReport } from "./key-set-report.ts";
import type { CheckResult } from "./token-check.ts";

export interface TokenDiagnosis {
  readonly results: readonly CheckResult[];
  /** Undefined: the token has none that can be read. They may be forged if a check failed. */
  readonly claims: Claims | undefined;
}

/** Verifies a user's token: signature, algorithm, issuer, audience, times and sender. Throws `Denial`. */
export interface TokenVerifier {
  /** `checkSender`: whether the sender may use the token. Default `asBearer`: only one that is bound to no key. */
  verify(token: string, expected: TokenExpectation, checkSender?: CheckSender): Promise<Claims>;
  /** Runs the checks of `verify` one by one, as far as they can be run, and shows each. Never throws `Denial`. */
  diagnose(token: string, expected: TokenExpectation): Promise<TokenDiagnosis>;
  /** Reports the provider's key set. Fetches it, but no more often than `verify` may. Takes 6 s at most. Never rejects. */
  inspectKeySet(source: KeySource): Promise<KeySetReport>;
}
