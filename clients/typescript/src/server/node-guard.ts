import type { IncomingMessage, ServerResponse } from "node:http";
import { credentialsOf, dropClaims, rawHeadersOf } from "./auth-headers.ts";
import { putCaller } from "./caller.ts";
import type { Refusal, Scopes, Verify } from "./verification.ts";

/** A Fastify request, of which only Node's own is needed. */
export interface FastifyRequestLike {
  readonly raw: IncomingMessage;
}

/** A Fastify reply: `hijack` tells Fastify that the answer is written by someone else. */
export interface FastifyReplyLike {
  readonly raw: ServerResponse;
  hijack(): unknown;
}

/** For `node:http`, Express (`app.use(...)`) and Fastify (`{ onRequest: ... }`) alike. */
export interface NodeGuard {
  (req: IncomingMessage, res: ServerResponse, next: (err?: Error) => void): void;
  (req: FastifyRequestLike, res: FastifyReplyLike, next: (err?: Error) => void): void;
}

/** Lets a request pass to `next`, or answers it. It reads headers only, so the body is the next handler's. */
export function guardNode(verify: Verify, scopes: Scopes): NodeGuard {
  return (
    req: IncomingMessage | FastifyRequestLike,
    res: ServerResponse | FastifyReplyLike,
    next: (err?: Error) => void,
  ): void => {
    const raw = "raw" in req ? req.raw : req;
    const rawRes = "raw" in res ? res.raw : res;
    verify(credentialsOf(rawHeadersOf(raw)), scopes)
      .then((verdict) => {
        if (verdict.kind === "refused") {
          if ("hijack" in res) res.hijack();
          return () => write(rawRes, verdict.refusal);
        }
        dropClaims(raw);
        for (const request of new Set([req, raw])) putCaller(request, verdict.caller);
        for (const [name, value] of verdict.limitHeaders) rawRes.setHeader(name, value);
        return () => next();
      })
      .catch((err: unknown) => () => next(err instanceof Error ? err : new Error(String(err))))
      // Outside of the promise: what a handler throws is its framework's to see, and must not call `next` again.
      .then(process.nextTick);
  };
}

function write(res: ServerResponse, { status, headers, body }: Refusal): void {
  if (res.headersSent || res.destroyed) return;
  for (const [name, value] of headers) res.setHeader(name, value);
  res.statusCode = status;
  res.end(body);
}
