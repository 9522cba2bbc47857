import { cors as connectCors } from "@connectrpc/connect";
import type { AllowedOrigins } from "../../config/settings.ts";
import type { Incoming } from "../request/exchange.ts";
import type { PlainAnswer } from "./plain-answer.ts";
import { type HeaderSink, PlainHeaders } from "./plain-headers.ts";

/** Decides which web pages may call and read the answers. */
export interface Cors {
  /** The answer to a CORS preflight. Undefined if the request is not one. */
  preflight(req: Incoming): PlainAnswer | undefined;
  /** Sets which page may read an answer. Errors need it too, or a page could not read why its call failed. */
  mark(headers: HeaderSink, origin: string | undefined): void;
}

const ALLOWED_HEADERS = [
  ...connectCors.allowedHeaders,
  "Authorization",
  "X-API-Key",
  "X-On-Behalf-Of",
  "DPoP",
  "Idempotency-Key",
  "X-Request-Id",
  "Traceparent",
  "Tracestate",
].join(", ");
const EXPOSED_HEADERS = [
  ...connectCors.exposedHeaders,
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
  "WWW-Authenticate",
  "X-Request-Id",
].join(", ");
/** The longest time for which any common browser caches a preflight. */
const PREFLIGHT_MAX_AGE_S = 7_200;

/**
 * CORS without credentials. Callers send keys and tokens in headers that a page must set itself, and we read no cookies.
 * Another site's page gains nothing from its visitor's browser, so `*` is a safe default.
 *
 * `onRefused` gets the origin of each preflight that is not allowed. Only those: pages of our own origin, such as the console,
 * send theirs too, but no preflight.
 */
export function createCors(allowed: AllowedOrigins, onRefused: (origin: string) => void = () => {}): Cors {
  function mark(headers: HeaderSink, origin: string | undefined): void {
    // The answer depends on the origin, also if the origin is rejected: a shared cache must not mix the answers up.
    if (allowed !== "*") headers.append("vary", "Origin");
    const readableBy = allowed === "*" ? "*" : allowed.find((each) => each === origin);
    if (readableBy === undefined) return;
    headers.set("access-control-allow-origin", readableBy);
    headers.set("access-control-expose-headers", EXPOSED_HEADERS);
  }
  return {
    preflight(req) {
      const { origin, "access-control-request-method": wanted } = req.headers;
      if (req.method !== "OPTIONS" || origin === undefined || wanted === undefined) return undefined;
      if (allowed !== "*" && !allowed.includes(origin)) onRefused(origin);
      // Answered on every path, so that a page with a wrong path sees the 404 and not only a failed preflight.
      const headers = new PlainHeaders({
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": ALLOWED_HEADERS,
        "access-control-max-age": String(PREFLIGHT_MAX_AGE_S),
      });
      return { status: 204, code: "ok", headers, body: "" };
    },
    mark,
  };
}
