import type { IncomingMessage } from "node:http";

/** The headers that Latchkey checks, and nothing else of a request. The last two say that a browser sent it, and which page. */
const CHECKED_HEADERS = ["x-api-key", "authorization", "x-on-behalf-of", "origin", "sec-fetch-site"];
/** Where proxies write the client's address. Latchkey reads it from the right, as far as it trusts who wrote it. */
const FORWARDED_FOR = "x-forwarded-for";
const FORWARDED = "forwarded";
/** Headers that a proxy in front may have from Latchkey, and that any client can write. `_`: some frameworks read both alike. */
const CLAIM = /^x[-_]auth[-_]/i;

export type HeaderPairs = Iterable<readonly [name: string, value: string]>;

/**
 * A request's headers, as `Headers`, pairs, or an object. Of Node's give `headersDistinct`: its `headers` drop a second
 * `Authorization`, which Latchkey refuses.
 */
export type RequestHeaders = HeaderPairs | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A list, since an iterator may be read only once. */
export function pairsOf(headers: RequestHeaders): readonly (readonly [name: string, value: string])[] {
  if (isPairs(headers)) return [...headers];
  return Object.entries(headers).flatMap(([name, values = []]) =>
    [values].flat().map((value) => [name, value] as const),
  );
}

function isPairs(headers: RequestHeaders): headers is HeaderPairs {
  return Symbol.iterator in headers;
}

/** What Latchkey checks of a request, as it came: two values stay two, which Latchkey refuses, where Node would drop one. */
export function checkedHeadersOf(headers: HeaderPairs): Headers {
  return pick(headers, CHECKED_HEADERS);
}

/**
 * The address of a connection after those that proxies have written, as a proxy adds it. Nothing is added for an unknown one:
 * a client could have written what would then be last.
 */
export function forwardingHeadersOf(pairs: HeaderPairs, of: string | null | undefined): Headers {
  if (!of) return new Headers();
  const address = of.replace(/%.*/, "");
  const headers = pick(pairs, [FORWARDED_FOR, FORWARDED]);
  headers.append(FORWARDED_FOR, address);
  // A proxy that reads this one alone would else see a chain that lacks its end.
  if (headers.has(FORWARDED)) headers.append(FORWARDED, `for=${address.includes(":") ? `"[${address}]"` : address}`);
  return headers;
}

/** The same for the client's own address, which the runtime knows. */
export function forwardedFor(address: string | null | undefined): Headers {
  return new Headers(address ? { [FORWARDED_FOR]: address } : {});
}

function pick(headers: HeaderPairs, names: readonly string[]): Headers {
  const picked = new Headers();
  for (const [name, value] of headers) if (names.includes(name.toLowerCase())) picked.append(name, value);
  return picked;
}

/** All headers of a Node request, one pair a line. */
export function* rawHeadersOf(req: IncomingMessage): Generator<[name: string, value: string]> {
  for (let i = 0; i + 1 < req.rawHeaders.length; i += 2) yield [req.rawHeaders[i] ?? "", req.rawHeaders[i + 1] ?? ""];
}

/** The headers of a verdict that an answer gets. Its own `X-Request-Id` stays: the service's log has that one. */
export function* answerHeaders(verdict: Headers, has: (name: string) => boolean): Generator<[string, string]> {
  for (const [name, value] of verdict) if (name !== "x-request-id" || !has(name)) yield [name, value];
}

/** Takes `X-Auth-*` from a Node request, wherever a handler might read it. */
export function dropClaims(req: IncomingMessage): void {
  // Node makes these two of the raw headers when they are first looked at, and counts on finding all of those.
  for (const headers of [req.headers, req.headersDistinct ?? {}]) {
    for (const name of Object.keys(headers)) if (CLAIM.test(name)) delete headers[name];
  }
  const kept = [...rawHeadersOf(req)].filter(([name]) => !CLAIM.test(name));
  req.rawHeaders.splice(0, req.rawHeaders.length, ...kept.flat());
}

/** Takes `X-Auth-*` from headers that can be changed. */
export function dropClaimsOf(headers: Headers): void {
  for (const name of [...headers.keys()]) if (CLAIM.test(name)) headers.delete(name);
}

/**
 * A request without `X-Auth-*`: the same one, or a copy where the runtime lets no header of it be changed, as Deno and
 * Cloudflare's workerd. Next.js gives requests that cannot be copied.
 */
export function withoutClaims(request: Request): Request {
  const kept = new Headers(request.headers);
  const claims = [...kept.keys()].filter((name) => CLAIM.test(name));
  if (claims.length === 0 || isDropped(request.headers, claims)) return request;
  for (const name of claims) kept.delete(name);
  return new Request(request, { headers: kept });
}

function isDropped(headers: Headers, names: readonly string[]): boolean {
  try {
    for (const name of names) headers.delete(name);
  } catch {
    return false;
  }
  return names.every((name) => !headers.has(name));
}
