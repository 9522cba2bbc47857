import type { Call } from "../interceptors/call.ts";

/** Tells the tightest of the key's constraints, on every answer to a request that carries a key. */
export function setLimitHeaders(headers: Headers, limit: NonNullable<Call["limit"]>): void {
  headers.set("X-RateLimit-Limit", String(limit.limit));
  headers.set("X-RateLimit-Remaining", String(limit.remaining));
  headers.set("X-RateLimit-Reset", String(limit.resetAt.getTime() / 1_000));
  if (limit.retryAfterSeconds !== undefined) headers.set("Retry-After", String(limit.retryAfterSeconds));
}
