import type { ImportedRateLimit } from "../import-row.ts";

/** So many requests in each window. */
export interface Window {
  /** For the report, if the window is not one of ours. */
  readonly member: string;
  readonly limit: number;
  readonly windowMs: number;
}

const MEMBERS = new Map<number, "requests_per_minute" | "requests_per_hour">([
  [60_000, "requests_per_minute"],
  [3_600_000, "requests_per_hour"],
]);

/** Limits of a minute and an hour. Another window is lost rather than converted: 10 a second is not 600 a minute. */
export function rateLimitOf(windows: readonly Window[], lose: (member: string) => void): ImportedRateLimit | undefined {
  const limits: Partial<Record<"requests_per_minute" | "requests_per_hour", number>> = {};
  for (const { member, limit, windowMs } of windows) {
    const name = MEMBERS.get(windowMs);
    if (name === undefined || limit === 0 || limits[name] !== undefined) lose(member);
    else limits[name] = limit;
  }
  return Object.keys(limits).length === 0 ? undefined : limits;
}
