import type { Call } from "../../interceptors/call.ts";
import type { HeaderSink } from "./plain-headers.ts";

/** Reports the tightest of the key's limits, on every answer to a request that carries a key. */
export function setLimitHeaders(headers: HeaderSink, limit: NonNullable<Call["limit"]>): void {
  headers.set("x-ratelimit-limit", String(limit.limit));
  headers.set("x-ratelimit-remaining", String(limit.remaining));
  headers.set("x-ratelimit-reset", String(limit.resetAt.getTime() / 1_000));
  if (limit.retryAfterSeconds !== undefined) headers.set("retry-after", String(limit.retryAfterSeconds));
}
