/** The tightest of a key's constraints: the one that denied, else the one with the fewest requests remaining. */
export interface LimitState {
  /** Most requests the constraint admits; 2147483647 is unlimited. */
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: Date;
}

/** What one request does to a key's budget. */
export type LimitDecision =
  | ({ readonly kind: "allow" } & LimitState)
  | ({ readonly kind: "deny"; readonly retryAfterSeconds: number } & LimitState);

/** Means "unlimited" wherever a limit is reported. */
export const UNLIMITED_REQUESTS = 2_147_483_647;
