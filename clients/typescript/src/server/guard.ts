import { type FetchHandler, type GuardedFetchHandler, guardFetch } from "./fetch-guard.ts";
import { guardNode, type NodeGuard } from "./node-guard.ts";
import { checkedScopes, createVerify, type GuardOptions, type Scopes } from "./verification.ts";

/** Keeps requests from handlers until Latchkey has admitted them. */
export interface Guard {
  /** A `(req, res, next)` handler for `node:http`, Express and Fastify. `callerOf(req)` is the caller. */
  node(scopes: Scopes): NodeGuard;
  /**
   * Wraps a handler of web requests, which gets the caller after the request, and then whatever the framework gives beside a
   * request: `{ params }` in Next.js, `env` and `ctx` in Cloudflare's workers. `callerOf` works on the request, too.
   */
  fetch<Args extends readonly unknown[] = []>(scopes: Scopes, handler: GuardedFetchHandler<Args>): FetchHandler<Args>;
}

/**
 * Guards an upstream service: each request's `X-API-Key`, `Authorization` and `X-On-Behalf-Of` are put to Latchkey's
 * Verify, which spends one request of the key's limit.
 *
 * A refused request is answered with Latchkey's own status, body and limit headers. Where Latchkey gives no verdict in
 * time, the answer is 503 and no handler runs. `X-Auth-*` headers of a request are never believed, and are removed. Scopes that
 * cannot be asked for are a `TypeError` at once.
 */
export function createGuard(options: GuardOptions): Guard {
  const verify = createVerify(options);
  return {
    node: (scopes) => guardNode(verify, checkedScopes(scopes)),
    fetch: (scopes, handler) => guardFetch(verify, checkedScopes(scopes), handler),
  };
}
