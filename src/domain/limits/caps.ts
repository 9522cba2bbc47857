/** Requests that a budget admits; 0 is unlimited, or for `burstSize` "as many as the cap". */
export interface Caps {
  readonly requestsPerMinute: number;
  readonly requestsPerHour: number;
  readonly burstSize: number;
}

/** Requests a key may make, and each of its users under it. */
export interface RateLimit extends Caps {
  /** Absent: users have no budgets of their own. Never only zeros. */
  readonly perUser?: Caps;
}

export const UNLIMITED: RateLimit = { requestsPerMinute: 0, requestsPerHour: 0, burstSize: 0 };
