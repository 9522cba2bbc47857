import { Code, ConnectError } from "@connectrpc/connect";

/** A `fetch` that says "unavailable" where nobody answered, so that callers tell an outage from a mistake of theirs. */
export function reachingFetch(given: typeof fetch | undefined): typeof fetch {
  return async (input, init) => {
    // Browsers insist on being called without `this`.
    const call = given ?? globalThis.fetch;
    try {
      return await call(input, init);
    } catch (err) {
      if (init?.signal?.aborted === true) throw err;
      throw new ConnectError("Latchkey could not be reached", Code.Unavailable, undefined, undefined, err);
    }
  };
}
