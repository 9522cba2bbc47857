import { cors as connectCors } from "@connectrpc/connect";
import type { AllowedOrigins } from "../../config/settings.ts";
import type { Incoming } from "../request/exchange.ts";
import type { Answer } from "./envelope.ts";
import type { HeaderSink } from "./plain-headers.ts";

/** Which pages in browsers may call and read the answers. */
export interface Cors {
  /** The answer to a browser that asks whether a page may call; undefined: it does not ask. */
  preflight(req: Incoming): Answer | undefined;
  /** Tells the browser who may read an answer. Errors say so, too, or a page could not read why its call failed. */
  mark(headers: HeaderSink, origin: string | undefined): void;
}

const ALLOWED_HEADERS = [
  ...connectCors.allowedHeaders,
  "Authorization",
  "X-API-Key",
  "X-On-Behalf-Of",
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
  "X-Request-Id",
].join(", ");
/** The longest that any common browser remembers. */
const PREFLIGHT_MAX_AGE_S = 7_200;

/**
 * CORS without credentials: callers send keys and tokens in headers that a page has to set itself, and no cookie is
 * read, so that another site's page gains nothing from its visitor's browser. That is why `*` is a safe default.
 */
export function createCors(allowed: AllowedOrigins): Cors {
  function mark(headers: HeaderSink, origin: string | undefined): void {
    // The answer depends on the origin, also where it is refused: a shared cache must not mix them up.
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
      // On every path: with a wrong one, the page shall see the 404 and not just that its browser refused to ask.
      const headers = new Headers({
        "Access-Control-Allow-Methods": "POST",
        "Access-Control-Allow-Headers": ALLOWED_HEADERS,
        "Access-Control-Max-Age": String(PREFLIGHT_MAX_AGE_S),
      });
      return { status: 204, code: "ok", headers, body: new Uint8Array(), trailers: undefined };
    },
    mark,
  };
}
