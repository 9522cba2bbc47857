import { type FetchHandler, type GuardedFetchHandler, guardFetch } from "./fetch-guard.ts";
import { guardNode, type NodeGuard } from "./node-guard.ts";
import { allScopes, checkedScopes, type Scopes } from "./scopes.ts";
import { createVerify, type GuardOptions } from "./verification.ts";

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
 * time, the answer is 503 and no handler runs. `X-Auth-*` headers of a request are never believed, and are removed.
 *
 * `node` and `fetch` throw a `TypeError` at once for a scope that Latchkey does not have: a wildcard, or one that is neither
 * built in nor in `ownScopes`. So a misspelt scope, or one that is missing from `ownScopes`, ends the start of the guarded
 * service.
 */
export function createGuard(options: GuardOptions): Guard {
  const verify = createVerify(options);
  const known = allScopes(options.ownScopes);
  return {
    node: (scopes) => guardNode(verify, checkedScopes(scopes, known)),
    fetch: (scopes, handler) => guardFetch(verify, checkedScopes(scopes, known), handler),
  };
}
