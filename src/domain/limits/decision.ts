/**
 * A window of the budget that denied a request, or of the one with the fewest requests remaining: of the minute and the hour
 * the one with fewer remaining, of two equal the hour.
 */
export interface LimitState {
  /** Maximum number of requests in the window; 2147483647 is unlimited. */
  readonly limit: number;
  /** 0 for a denied request, also if a full window was not the reason. */
  readonly remaining: number;
  /** When the window resets; for a denied request, no sooner than a retry is admitted. */
  readonly resetAt: Date;
  /** `user`: the budget is that of the request's user under the key. Undefined: it is the key's. */
  readonly scope?: "user" | undefined;
}

/** What a look at a budget shows. */
export interface PeekedLimit extends LimitState {
  /** How many requests would be admitted at once now, by the windows and the bucket. */
  readonly atOnce: number;
}

/** What one request does to its budgets. */
export type LimitDecision =
  | ({ readonly kind: "allow" } & LimitState)
  /** Without `retryAfterSeconds` the request costs more than the limit ever admits at once. */
  | ({ readonly kind: "deny"; readonly retryAfterSeconds?: number | undefined } & LimitState);

/** Means "unlimited" wherever a limit is reported. */
export const UNLIMITED_REQUESTS = 2_147_483_647;
