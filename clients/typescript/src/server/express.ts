import type { IncomingMessage, ServerResponse } from "node:http";
import { callerOf, type VerifiedCaller } from "./caller.ts";
import { createChecks, type RequestOptions } from "./checks.ts";
import type { GuardEdge } from "./edge.ts";
import { guardNode } from "./node-guard.ts";
import type { Scopes } from "./scopes.ts";
import type { GuardOptions } from "./verification.ts";

export { callerOf, type GuardOptions, type RequestOptions, type Scopes, type VerifiedCaller };

declare global {
  namespace Express {
    interface Request {
      /** Behind a guard: who is calling. `callerOf(req)` is never undefined, but throws where no guard is. */
      readonly caller?: VerifiedCaller;
    }
  }
}

/** It has only Node's types, so that the path's parameters stay those of the handler after it. */
export type ExpressMiddleware = (req: IncomingMessage, res: ServerResponse, next: (err?: unknown) => void) => void;

/** A middleware that lets requests with these scopes pass, for `app.use` and for one route. */
export interface ExpressGuard {
  (scopes: Scopes, options?: RequestOptions): ExpressMiddleware;
  /** The state of the guard's edge, and its end. Undefined: the guard has no `edge`. */
  readonly edge: GuardEdge | undefined;
}

/** `createGuard` of `@latchkey/client/server` for Express: its middlewares set `req.caller`. */
export function createGuard(options: GuardOptions): ExpressGuard {
  const checks = createChecks(options);
  const guard = (scopes: Scopes, asked?: RequestOptions): ExpressMiddleware => {
    const admit = guardNode(checks(scopes, asked));
    return (req, res, next) =>
      admit(req, res, () => {
        Object.defineProperty(req, "caller", { value: callerOf(req), configurable: true, enumerable: true });
        next();
      });
  };
  return Object.assign(guard, { edge: checks.edge });
}
