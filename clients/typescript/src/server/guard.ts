import type { IncomingMessage, ServerResponse } from "node:http";
import type { Interceptor } from "@connectrpc/connect";
import { forwardingHeadersOf, pairsOf, type RequestHeaders } from "./auth-headers.ts";
import { createChecks, type RequestOptions } from "./checks.ts";
import { type ConnectOptions, guardConnect } from "./connect-guard.ts";
import type { GuardEdge } from "./edge.ts";
import { type FetchHandler, type GuardedFetchHandler, guardFetch, toResponse } from "./fetch-guard.ts";
import { guardMcp, type McpGuard, type McpOptions } from "./mcp.ts";
import { guardNode, type NodeGuard, targetOf, write } from "./node-guard.ts";
import { metadataAnswer, type Resource } from "./resource.ts";
import type { Scopes } from "./scopes.ts";
import type { Verdict } from "./verdict.ts";
import type { GuardOptions } from "./verification.ts";

/** Keeps requests from handlers until Latchkey has admitted them. */
export interface Guard {
  /**
   * Decides on one request, for a framework that has no guard here: answer a refused one with the verdict's status, headers and body,
   * and add the headers of an admitted one to its answer. Drop `X-Auth-*` headers of the request if anything reads them. Rejects with a
   * `TypeError` for a scope that Latchkey does not have.
   */
  check(headers: RequestHeaders, scopes: Scopes, options?: CheckOptions): Promise<Verdict>;
  /** A `(req, res, next)` handler for `node:http`, Express and Fastify. `callerOf(req)` is the caller. */
  node(scopes: Scopes, options?: RequestOptions): NodeGuard;
  /**
   * Wraps a handler of web requests, which gets the caller after the request, and then whatever the framework gives beside a
   * request: `{ params }` in Next.js, `env` and `ctx` in Cloudflare's workers. `callerOf` works on the request, too.
   */
  fetch<Args extends readonly unknown[] = []>(
    scopes: Scopes,
    handler: GuardedFetchHandler<Args>,
    options?: RequestOptions,
  ): FetchHandler<Args>;
  /**
   * An interceptor for Connect services that decides on each RPC by the `(latchkey.v1.policy)` of its proto. The caller is
   * `callerOf(context)`. Throws a `TypeError` at once for an RPC without a policy, or with one that cannot be checked.
   */
  connect(options: ConnectOptions): Interceptor;
  /**
   * For an MCP server over streamable HTTP: decides on each call of a tool by the tool's scopes or policy. Throws a `TypeError` at
   * once for a tool whose scopes Latchkey does not have, or whose RPC has no policy.
   */
  mcp(options: McpOptions): McpGuard;
  /**
   * Serves the metadata of the `resource` (RFC 9728) where the guard's other handlers get no request for it, as below a router
   * or in a framework: in Express `app.use(guard.metadata.node)`. Throws an `Error` for a guard without a `resource`.
   */
  readonly metadata: MetadataHandlers;
  /** The state of the guard's edge, and its end. Undefined: the guard has no `edge`. */
  readonly edge: GuardEdge | undefined;
}

/** What serves the metadata of a resource, and passes on all else. */
export interface MetadataHandlers {
  node(req: IncomingMessage, res: ServerResponse, next: () => void): void;
  /** 404 for any other request. */
  fetch(request: Request): Response;
}

/** The parts of a request for `guard.check` beside its headers. */
export interface CheckOptions extends RequestOptions {
  /**
   * The address of the request's connection, such as `req.socket.remoteAddress`: Latchkey gets it after those that the headers have
   * from proxies. Default: not known, so that Latchkey sees the guarded service's own address.
   */
  readonly clientAddress?: string | null | undefined;
}

/**
 * Guards an upstream service: each request's `X-API-Key`, `Authorization` and `X-On-Behalf-Of` are put to Latchkey's
 * Verify, which spends one request of the key's limit. So are its address, `Origin` and `Sec-Fetch-Site`, for keys that may be
 * used only from some places; name the guarded service in Latchkey's TRUSTED_PROXIES, or it takes every request for the
 * service's own.
 *
 * A refused request is answered with Latchkey's own status, body and limit headers. Where Latchkey gives no verdict in
 * time, the answer is 503 and no handler runs. `X-Auth-*` headers of a request are never believed, and are removed.
 *
 * With a `resource`, a request for its metadata is answered with that, without credentials, and tokens must be for the resource.
 *
 * `node` and `fetch` throw a `TypeError` at once for a cost out of range, and for a scope that Latchkey does not have: a
 * wildcard, or one that is neither built in nor in `ownScopes`. So a misspelt scope, or one that is missing from `ownScopes`,
 * ends the start of the guarded service.
 */
export function createGuard(options: GuardOptions): Guard {
  const checks = createChecks(options);
  const { verify, known, edge } = checks;
  return {
    async check(headers, scopes, { clientAddress, ...asked } = {}) {
      const pairs = pairsOf(headers);
      return checks(scopes, asked)(pairs, forwardingHeadersOf(pairs, clientAddress));
    },
    node: (scopes, asked) => guardNode(checks(scopes, asked)),
    fetch: (scopes, handler, asked) => guardFetch(checks(scopes, asked), handler, options.clientAddress),
    connect: (services) => guardConnect(verify, known, services),
    mcp: (mcp) => guardMcp(verify, known, mcp, options.clientAddress),
    edge,
    get metadata() {
      return metadataHandlers(verify.resource);
    },
  };
}

function metadataHandlers(resource: Resource | undefined): MetadataHandlers {
  if (resource === undefined) throw new Error("the guard has no resource whose metadata it could serve");
  return {
    node(req, res, next) {
      const answer = metadataAnswer(resource, req.method, targetOf(req));
      if (answer === undefined) next();
      else write(res, answer);
    },
    fetch(request) {
      const answer = metadataAnswer(resource, request.method, request.url);
      return answer === undefined ? new Response(null, { status: 404 }) : toResponse(answer);
    },
  };
}
