import { forwardedFor, withoutClaims } from "./auth-headers.ts";
import { callerOf, putCaller, type VerifiedCaller } from "./caller.ts";
import { createChecks, type RequestOptions } from "./checks.ts";
import type { GuardEdge } from "./edge.ts";
import { toResponse, withHeaders } from "./fetch-guard.ts";
import type { Scopes } from "./scopes.ts";
import type { GuardOptions } from "./verification.ts";

export { callerOf, type GuardOptions, type RequestOptions, type Scopes, type VerifiedCaller };

/** The argument of Next.js for a handler of a route without parameters. */
export interface RouteContext {
  readonly params: Promise<Record<string, string | string[] | undefined>>;
}

/** The second argument of a guarded handler: that of Next.js, such as `params`, with the caller. */
export type Guarded<Context extends object = RouteContext> = Context & { readonly caller: VerifiedCaller };

type GuardRoute = <R extends Request = Request, Context extends object = RouteContext>(
  scopes: Scopes,
  handler: (request: R, context: Guarded<Context>) => Response | Promise<Response>,
  options?: RequestOptions,
) => (request: R, context: Context) => Promise<Response>;

/**
 * Wraps a route handler of the App Router: `export const GET = guard("plans:read", (request, { params, caller }) => ...)`. The
 * types of the request and of the context are those of the handler's parameters.
 */
export interface NextGuard extends GuardRoute {
  /** The state of the guard's edge, and its end. Undefined: the guard has no `edge`. */
  readonly edge: GuardEdge | undefined;
}

/** `createGuard` of `@latchkey/client/server` for route handlers of Next.js, in its Node and Edge runtimes. */
export function createGuard(options: GuardOptions): NextGuard {
  const checks = createChecks(options);
  const { clientAddress = () => undefined } = options;
  const guard: GuardRoute = (scopes, handler, asked) => {
    const check = checks(scopes, asked);
    return async (request, context) => {
      const verdict = await check(request.headers, forwardedFor(clientAddress(request, context)));
      if (verdict.kind === "refused") return toResponse(verdict);
      // A copy would have neither `nextUrl` nor `cookies`. Next.js lets headers be changed.
      if (withoutClaims(request) !== request) throw new Error("the X-Auth-* headers of the request cannot be removed");
      putCaller(request, verdict.caller);
      return withHeaders(await handler(request, { ...context, caller: verdict.caller }), verdict.headers);
    };
  };
  return Object.assign(guard, { edge: checks.edge });
}
