import type { Denial } from "../vocabulary/denial.ts";

/** The checks of a user's token, by the names that a diagnosis shows. */
export type TokenCheckName =
  | "form"
  | "algorithm"
  | "signature"
  | "payload"
  | "token_type"
  | "issuer"
  | "audience"
  | "authorized_party"
  | "times"
  | "confirmation"
  | "lifetime"
  | "user_id"
  | "required_claims"
  | "claim_rules";

/** One check of a verified token. Requests and diagnoses run the same ones. */
export interface TokenCheck<Token, Expected> {
  readonly name: TokenCheckName;
  /** Undefined: the token passes. */
  denialOf(token: Token, expected: Expected): Denial | undefined;
  /** What a diagnosis shows as needed. Undefined: nothing is, of this token or of any. */
  needed(expected: Expected, token: Token): string | undefined;
  /** What a diagnosis shows of the token. */
  found(token: Token, expected: Expected): unknown;
  /** What a diagnosis says of a token that passes, as a sentence. */
  readonly passes: string;
}

/** One check in a diagnosis. */
export interface CheckResult<Name = TokenCheckName> {
  readonly name: Name;
  readonly passed: boolean;
  readonly expected: string;
  readonly found: string;
  /** A sentence; for a check that fails, the message of the denial. */
  readonly detail: string;
}

const SHOWN_CHARS_MAX = 512;

/** Runs checks in their order. Throws the first denial. */
export function requireAll<Token, Expected>(
  checks: readonly TokenCheck<Token, Expected>[],
  token: Token,
  expected: Expected,
): void {
  for (const check of checks) {
    const denial = check.denialOf(token, expected);
    if (denial !== undefined) throw denial;
  }
}

/** Runs all checks for which something is configured, and shows each. */
export function diagnose<Token, Expected>(
  checks: readonly TokenCheck<Token, Expected>[],
  token: Token,
  expected: Expected,
): CheckResult[] {
  return checks.flatMap((check) => {
    const needed = check.needed(expected, token);
    if (needed === undefined) return [];
    const denial = check.denialOf(token, expected);
    return {
      name: check.name,
      passed: denial === undefined,
      expected: shown(needed),
      found: shown(check.found(token, expected)),
      detail: denial?.message ?? check.passes,
    };
  });
}

/** A configured value or a claim as a diagnosis shows it: a text as it is, anything else as JSON; at most 512 characters. */
export function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  // Cut first: a cut may leave half of a surrogate pair.
  return text.slice(0, SHOWN_CHARS_MAX).toWellFormed();
}
