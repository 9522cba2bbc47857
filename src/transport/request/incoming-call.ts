import { newId } from "../../domain/ids.ts";
import { SECRET_PATTERN } from "../../domain/keys/secret.ts";
import type { Call } from "../../interceptors/call.ts";
import { removeFarDeadlines } from "./deadline.ts";
import type { Incoming } from "./exchange.ts";
import { canonicalMediaType, contentTypeOf } from "./media-type.ts";

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** What a request's headers tell of a call. */
export function newCall(req: Incoming): Call {
  return { requestId: requestIdOf(req), credentials: credentialsIn(req.rawHeaders) };
}

/** The id that a request brings along, if it is sane, or else a new one. */
function requestIdOf({ headers }: Pick<Incoming, "headers">): string {
  const sent = headers["x-request-id"];
  const isSane = typeof sent === "string" && REQUEST_ID.test(sent) && !SECRET_PATTERN.test(sent);
  return isSane ? sent : newId("req");
}

/**
 * All values of the headers that hold credentials. Node joins two `X-API-Key` and keeps the first of two
 * `Authorization`: neither will do.
 */
function credentialsIn(rawHeaders: readonly string[]): Call["credentials"] {
  const apiKey: string[] = [];
  const authorization: string[] = [];
  const onBehalfOf: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const value = rawHeaders[i + 1] ?? "";
    switch (rawHeaders[i]?.toLowerCase()) {
      case "x-api-key":
        apiKey.push(value);
        break;
      case "authorization":
        authorization.push(value);
        break;
      case "x-on-behalf-of":
        onBehalfOf.push(value);
    }
  }
  return { apiKey, authorization, onBehalfOf };
}

/** The path as sent, byte for byte: a path that had to be normalised first could be read otherwise by a proxy. */
export function pathOf({ url = "" }: Pick<Incoming, "url">): string {
  const query = url.indexOf("?");
  const target = query < 0 ? url : url.slice(0, query);
  // The absolute form, as a proxy may send it, has to be accepted (RFC 9112, 3.2.2).
  return target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/]+/i, "");
}

/**
 * What Connect is not given: credentials, which nobody reads again after the gate; the length, which Connect would judge
 * before our own reader (`body.ts`) does; the encoding, which is known to be identity, a name that Connect would compare to
 * the letter; and gRPC's compression, which is refused in our own words (`protocol-headers.ts`).
 */
const REMOVED_HEADERS: ReadonlySet<string> = new Set([
  "x-api-key",
  "authorization",
  "content-length",
  "content-encoding",
  "grpc-encoding",
]);

/** A request's headers as Connect is given them. */
export function toWebHeaders(req: Incoming): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    if (value === undefined || name.startsWith(":") || REMOVED_HEADERS.has(name)) continue;
    headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  headers.set("content-type", canonicalMediaType(contentTypeOf(req)));
  removeFarDeadlines(headers);
  return headers;
}
