import { Code, ConnectError } from "@connectrpc/connect";
import { codeFromHttpStatus } from "@connectrpc/connect/protocol-connect";
import { REDIRECT, redirectOf } from "./redirect.ts";
import { ADVICE, isErrorCode, PROXY_STATUSES, unreached } from "./wrong-host.ts";

/**
 * A `fetch` that fails as "unavailable" if no server answered, so that callers can distinguish an outage from a mistake of
 * theirs, and that names what to check if another server than Latchkey answered.
 *
 * It reads the whole answer, since one that breaks off is invalid. It is for unary calls, which wait for all of it anyway.
 * It follows no redirect: credentials go only to `baseUrl`.
 */
export function reachingFetch(given: typeof fetch | undefined): typeof fetch {
  return async (input, init) => {
    // Browsers insist on being called without `this`.
    const call = given ?? globalThis.fetch;
    let response: Response;
    let body: ArrayBuffer;
    try {
      response = await call(input, { ...init, redirect: REDIRECT });
      body = await response.arrayBuffer();
    } catch (err) {
      if (init?.signal?.aborted === true) throw err;
      throw new ConnectError(unreached(urlOf(input), err), Code.Unavailable, undefined, undefined, err);
    }
    const { host, href } = urlOf(input);
    const redirect = redirectOf(response, href);
    if (redirect !== undefined) {
      const message = `${host} answered with ${redirect}; none is followed: ${ADVICE}`;
      throw new ConnectError(message, Code.Unknown);
    }
    const answer = jsonObject(body);
    if (response.status === 200 && answer === undefined) {
      const message = `${host} sent a response that is not from Latchkey; ${ADVICE}`;
      throw new ConnectError(message, Code.Unknown);
    }
    if (response.status >= 400 && !PROXY_STATUSES.has(response.status) && !isErrorCode(answer?.code)) {
      const message = `${host} answered with status ${response.status} and none of Latchkey's errors; ${ADVICE}`;
      throw new ConnectError(message, codeFromHttpStatus(response.status), response.headers);
    }
    // With some statuses, as 204, an answer may have no body, not even an empty one.
    return new Response(body.byteLength === 0 ? null : body, response);
  };
}

function urlOf(input: string | URL | Request): URL {
  return new URL(input instanceof Request ? input.url : input);
}

/** The parser's own words would say nothing of where the text is from. */
function jsonObject(body: ArrayBuffer): { readonly code?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
