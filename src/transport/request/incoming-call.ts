import { looksLikeCredential } from "../../domain/vocabulary/credential-pattern.ts";
import { newId } from "../../domain/vocabulary/ids.ts";
import type { Call } from "../../interceptors/call.ts";
import type { ClientAddress, DescribedRequest } from "./client-address.ts";
import type { Incoming } from "./exchange.ts";
import { canonicalMediaType, contentTypeOf } from "./media-type.ts";
import { removeFarDeadlines } from "./timeout-headers.ts";

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Creates a call from a request's connection and headers. */
export function newCall(req: Incoming, clientAddress: ClientAddress): Call {
  const { credentials, origin, isFromBrowser } = checkedHeaders(req.rawHeaders);
  return {
    requestId: requestIdOf(req),
    credentials,
    origin,
    isFromBrowser,
    address: clientAddress.of(req),
    traceparent: traceparentOf(req),
    proofTarget: credentials.dpop.length === 0 ? undefined : { method: req.method ?? "", url: pathOf(req) },
    // All members from the start: each that is added later would change the shape of the object, and some would allocate.
    procedure: undefined,
    policy: undefined,
    verdict: undefined,
    targetId: undefined,
    denial: undefined,
    costReader: undefined,
    isBodyTooLarge: undefined,
    heldBody: undefined,
    limit: undefined,
  };
}

/** The claims of a request about its caller, before any of them is checked. */
export type Caller = Pick<Call, "credentials" | "address">;

/** Makes the call that of another request, which a proxy describes. */
export function describeCall(call: Call, req: Incoming, described: DescribedRequest, address: ClientAddress): void {
  const { rawHeaders } = described;
  const changed: Partial<Call> = {
    ...checkedHeaders(rawHeaders),
    requestId: requestIdOf({ headers: { "x-request-id": sentValue(rawHeaders, "x-request-id") } }),
    address: address.ofDescribed(req, described),
  };
  Object.assign(call, changed);
}

/** Who makes the request that a proxy describes. */
export function describedCaller(req: Incoming, described: DescribedRequest, address: ClientAddress): Caller {
  const { credentials } = checkedHeaders(described.rawHeaders);
  return { credentials, address: address.ofDescribed(req, described) };
}

/** The first value of a header, in the form of Node's `rawHeaders`. Values that look like the name are ignored. */
function sentValue(rawHeaders: readonly string[], name: string): string | undefined {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === name) return rawHeaders[i + 1];
  }
  return undefined;
}

/** Undefined: absent, or repeated over HTTP/2. */
function traceparentOf({ headers: { traceparent } }: Pick<Incoming, "headers">): string | undefined {
  return typeof traceparent === "string" ? traceparent : undefined;
}

/** The request's own id if it is valid and holds no secret, else a new one: ids stay in logs and in audit events. */
function requestIdOf({ headers }: Pick<Incoming, "headers">): string {
  const sent = headers["x-request-id"];
  const isSane = typeof sent === "string" && REQUEST_ID.test(sent) && !looksLikeCredential(sent);
  return isSane ? sent : newId("req");
}

/** Of almost every request: an array of its own would be one more to collect. */
const NONE: readonly string[] = [];

/**
 * All values of the headers that hold credentials, and what browsers say. Node's `headers` would hide repeated ones: it joins
 * two `X-API-Key` and keeps only the first of two `Authorization`.
 */
export function checkedHeaders(rawHeaders: readonly string[]): Pick<Call, "credentials" | "origin" | "isFromBrowser"> {
  let origin: string | null = null;
  let origins = 0;
  let isFromBrowser = false;
  const apiKey: string[] = [];
  const authorization: string[] = [];
  const onBehalfOf: string[] = [];
  let dpop: string[] | undefined;
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
        break;
      case "dpop":
        dpop ??= [];
        dpop.push(value);
        break;
      case "origin":
        origins += 1;
        origin = origins === 1 ? value : null;
        break;
      case "sec-fetch-site":
        isFromBrowser = true;
    }
  }
  return { credentials: { apiKey, authorization, onBehalfOf, dpop: dpop ?? NONE }, origin, isFromBrowser };
}

/** The path exactly as sent. A proxy could read a path differently from us if we normalised it. */
export function pathOf({ url = "" }: Pick<Incoming, "url">): string {
  const query = url.indexOf("?");
  const target = query < 0 ? url : url.slice(0, query);
  // A proxy may send the absolute form, which a server must accept (RFC 9112, 3.2.2).
  return target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/]+/i, "");
}

/**
 * Headers that are not passed on to Connect:
 * - credentials, which are not read again after the gate;
 * - the length, which Connect would check before our own reader (`body.ts`) does;
 * - the encoding, which we know to be identity, and which Connect would compare case-sensitively;
 * - gRPC's compression, which `protocol-headers.ts` rejects with our own message.
 */
const REMOVED_HEADERS: ReadonlySet<string> = new Set([
  "x-api-key",
  "authorization",
  "dpop",
  "content-length",
  "content-encoding",
  "grpc-encoding",
]);

/** A request's headers in the form that Connect takes. */
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
