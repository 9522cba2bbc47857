import { Code, ConnectError } from "@connectrpc/connect";

/**
 * A `fetch` that says "unavailable" where nobody answered, so that callers tell an outage from a mistake of theirs.
 *
 * It reads the whole answer, since one that breaks off is none. It is for unary calls, which wait for all of it anyway.
 */
export function reachingFetch(given: typeof fetch | undefined): typeof fetch {
  return async (input, init) => {
    // Browsers insist on being called without `this`.
    const call = given ?? globalThis.fetch;
    try {
      const response = await call(input, init);
      const body = await response.arrayBuffer();
      // With some statuses, as 204, an answer may have no body, not even an empty one.
      return new Response(body.byteLength === 0 ? null : body, response);
    } catch (err) {
      if (init?.signal?.aborted === true) throw err;
      throw new ConnectError("Latchkey could not be reached", Code.Unavailable, undefined, undefined, err);
    }
  };
}
