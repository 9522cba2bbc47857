import type { Context, MiddlewareHandler } from "hono";
import { answerHeaders, forwardedFor, withoutClaims } from "./auth-headers.ts";
import { callerOf, putCaller, type VerifiedCaller } from "./caller.ts";
import { createChecks, type RequestOptions } from "./checks.ts";
import type { GuardEdge } from "./edge.ts";
import { toResponse } from "./fetch-guard.ts";
import { metadataAnswer } from "./resource.ts";
import type { Scopes } from "./scopes.ts";
import type { GuardOptions } from "./verification.ts";

export { callerOf, type RequestOptions, type Scopes, type VerifiedCaller };

export interface HonoGuardOptions extends Omit<GuardOptions, "clientAddress"> {
  /**
   * The client's IP address, as your platform's `getConnInfo` returns it: `(c) => getConnInfo(c).remote.address`, never a header
   * that clients can write. Default: not known, so that Latchkey sees the guarded service's own address.
   */
  readonly clientAddress?: ((c: Context) => string | null | undefined) | undefined;
}

/** What a guard adds to the context: `c.var.caller`, and `c.get("caller")`. */
export interface GuardVariables {
  readonly caller: VerifiedCaller;
}

/** A middleware that lets requests with these scopes pass, for `app.use` and for one route. */
export interface HonoGuard {
  (scopes: Scopes, options?: RequestOptions): MiddlewareHandler<{ Variables: GuardVariables }>;
  /** The state of the guard's edge, and its end. Undefined: the guard has no `edge`. */
  readonly edge: GuardEdge | undefined;
}

/** `createGuard` of `@latchkey/client/server` for Hono, on every runtime of its: the caller is `c.var.caller`. */
export function createGuard({ clientAddress = () => undefined, ...options }: HonoGuardOptions): HonoGuard {
  const checks = createChecks(options);
  const guard = (scopes: Scopes, asked?: RequestOptions): MiddlewareHandler<{ Variables: GuardVariables }> => {
    const check = checks(scopes, asked);
    return async (c, next) => {
      const incoming = c.req.raw;
      const metadata = metadataAnswer(check.resource, incoming.method, incoming.url);
      if (metadata !== undefined) return toResponse(metadata);
      const verdict = await check(incoming.headers, forwardedFor(clientAddress(c)));
      if (verdict.kind === "refused") return toResponse(verdict);
      const { caller, headers } = verdict;
      // Hono reads headers, and the body that is not read yet, from here.
      c.req.raw = withoutClaims(incoming);
      for (const request of new Set([incoming, c.req.raw])) putCaller(request, caller);
      c.set("caller", caller);
      await next();
      // Before the handler, they would be lost with a `Response` that it makes by itself.
      for (const [name, value] of answerHeaders(headers, (header) => c.res.headers.has(header))) c.header(name, value);
      return undefined;
    };
  };
  return Object.assign(guard, { edge: checks.edge });
}
