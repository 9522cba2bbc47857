import type { Call } from "../../interceptors/call.ts";
import { challengeOf } from "./challenge.ts";
import type { Cors } from "./cors.ts";
import { setLimitHeaders } from "./limit-headers.ts";
import type { HeaderSink } from "./plain-headers.ts";

/**
 * Sets the headers that every answer has, over every protocol and from every layer. Every answer passes through this one
 * function: with two, a header that is added to one of them would be missing from the answers of the other.
 *
 * `cors` is undefined for answers that no page of another origin may read. `origin` is the request's header.
 */
export function markAnswer(
  { status, headers }: { readonly status: number; readonly headers: HeaderSink },
  call: Call,
  cors: Cors | undefined,
  origin: string | undefined,
): void {
  headers.set("x-request-id", call.requestId);
  headers.set("x-content-type-options", "nosniff");
  cors?.mark(headers, origin);
  if (call.limit !== undefined) setLimitHeaders(headers, call.limit);
  if (call.policy?.noStore === true) headers.set("cache-control", "no-store");
  const challenge = challengeOf(status, call.denial, call.challenge);
  if (challenge !== undefined) headers.set("www-authenticate", challenge);
}
