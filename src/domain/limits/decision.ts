/** The tightest of the constraints of a request: the one that denied, else the one with the fewest requests remaining. */
export interface LimitState {
  /** Most requests the constraint admits; 2147483647 is unlimited. */
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: Date;
  /** `user`: the constraint is that of the request's user under the key. Undefined: it is the key's. */
  readonly scope?: "user" | undefined;
}

/** What one request does to its budgets. */
export type LimitDecision =
  | ({ readonly kind: "allow" } & LimitState)
  /** Without `retryAfterSeconds` the request costs more than the limit ever admits at once. */
  | ({ readonly kind: "deny"; readonly retryAfterSeconds?: number | undefined } & LimitState);

/** Means "unlimited" wherever a limit is reported. */
export const UNLIMITED_REQUESTS = 2_147_483_647;
