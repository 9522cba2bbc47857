import { newId } from "../domain/ids.ts";
import { SECRET_PATTERN } from "../domain/keys/secret.ts";
import type { Call } from "../interceptors/call.ts";
import type { Incoming } from "./exchange.ts";

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** What a request's headers tell of a call. */
export function newCall(req: Incoming): Call {
  const sent = req.headers["x-request-id"];
  const isSane = typeof sent === "string" && REQUEST_ID.test(sent) && !SECRET_PATTERN.test(sent);
  const requestId = isSane ? sent : newId("req");
  return { requestId, credentials: credentialsIn(req.rawHeaders) };
}

/**
 * All values of the headers that hold credentials. Node joins two `X-API-Key` and keeps the first of two
 * `Authorization`: neither will do.
 */
function credentialsIn(rawHeaders: readonly string[]): Call["credentials"] {
  const found = { "x-api-key": [] as string[], authorization: [] as string[], "x-on-behalf-of": [] as string[] };
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase();
    if (name === "x-api-key" || name === "authorization" || name === "x-on-behalf-of") {
      found[name].push(rawHeaders[i + 1] ?? "");
    }
  }
  return { apiKey: found["x-api-key"], authorization: found.authorization, onBehalfOf: found["x-on-behalf-of"] };
}

/** The path as sent, byte for byte: a path that had to be normalised first could be read otherwise by a proxy. */
export function pathOf(req: Incoming): string {
  const target = (req.url ?? "").split("?", 1)[0] ?? "";
  // The absolute form, as a proxy may send it, has to be accepted (RFC 9112, 3.2.2).
  return target.replace(/^https?:\/\/[^/]+/i, "");
}

/** Credentials stay behind: after the gate nobody reads them again, and the gate has them from the call. */
export function toWebHeaders(req: Incoming): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    if (value === undefined || name.startsWith(":") || name === "x-api-key" || name === "authorization") continue;
    headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  return headers;
}
