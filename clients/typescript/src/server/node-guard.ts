import type { IncomingMessage, ServerResponse } from "node:http";
import { checkedHeadersOf, dropClaims, forwardingHeadersOf, rawHeadersOf } from "./auth-headers.ts";
import { putCaller } from "./caller.ts";
import { type Refusal, unverifiedRefusal } from "./refusal.ts";
import { metadataAnswer } from "./resource.ts";
import type { Question } from "./verdict.ts";
import type { Verify } from "./verification.ts";

/** A Fastify request, of which only Node's own is needed. */
export interface FastifyRequestLike {
  readonly raw: IncomingMessage;
}

/** A Fastify reply: `hijack` tells Fastify that other code writes the answer. */
export interface FastifyReplyLike {
  readonly raw: ServerResponse;
  hijack(): unknown;
}

/** For `node:http`, Express (`app.use(...)`) and Fastify (`{ onRequest: ... }`) alike. */
export interface NodeGuard {
  (req: IncomingMessage, res: ServerResponse, next: () => void): void;
  (req: FastifyRequestLike, res: FastifyReplyLike, next: () => void): void;
}

/** Lets a request pass to `next`, or answers it. It reads headers only, so the body is the next handler's. */
export function guardNode(verify: Verify, question: Question): NodeGuard {
  return (
    req: IncomingMessage | FastifyRequestLike,
    res: ServerResponse | FastifyReplyLike,
    next: () => void,
  ): void => {
    const raw = "raw" in req ? req.raw : req;
    const rawRes = "raw" in res ? res.raw : res;
    const refuse = (refusal: Refusal): void => {
      if ("hijack" in res) res.hijack();
      write(rawRes, refusal);
    };
    const metadata = metadataAnswer(verify.resource, raw.method, targetOf(raw));
    if (metadata !== undefined) {
      refuse(metadata);
      return;
    }
    verify(checkedHeadersOf(rawHeadersOf(raw)), forwardingHeadersOf(raw), question)
      .then((verdict) => {
        if (verdict.kind === "refused") return () => refuse(verdict.refusal);
        dropClaims(raw);
        for (const request of new Set([req, raw])) putCaller(request, verdict.caller);
        for (const [name, value] of verdict.limitHeaders) rawRes.setHeader(name, value);
        return () => next();
      })
      // Never `next(err)`: a handler of `node:http` that does not look at it would run.
      .catch(() => () => refuse(unverifiedRefusal()))
      // Outside of the promise: what a handler throws is its framework's to see, and must not be answered here.
      .then(process.nextTick);
  };
}

/** What the client asked for: a router of Express leaves the rest of it in `url`. */
export function targetOf(req: IncomingMessage): string | undefined {
  return "originalUrl" in req && typeof req.originalUrl === "string" ? req.originalUrl : req.url;
}

export function write(res: ServerResponse, { status, headers, body }: Refusal): void {
  if (res.headersSent || res.destroyed) return;
  for (const [name, value] of headers) res.setHeader(name, value);
  res.statusCode = status;
  res.end(body);
}
