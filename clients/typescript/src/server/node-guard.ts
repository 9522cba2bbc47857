import type { IncomingMessage, ServerResponse } from "node:http";
import { answerHeaders, dropClaims, forwardingHeadersOf, rawHeadersOf } from "./auth-headers.ts";
import { putCaller } from "./caller.ts";
import type { Check } from "./checks.ts";
import { type Refusal, unverifiedRefusal } from "./refusal.ts";
import { metadataAnswer } from "./resource.ts";

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
export function guardNode(check: Check): NodeGuard {
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
    const metadata = metadataAnswer(check.resource, raw.method, targetOf(raw));
    if (metadata !== undefined) {
      refuse(metadata);
      return;
    }
    askAbout(check, raw)
      .then((verdict) => {
        if (verdict.kind === "refused") return () => refuse(verdict);
        dropClaims(raw);
        for (const request of new Set([req, raw])) putCaller(request, verdict.caller);
        setHeaders(rawRes, verdict.headers);
        return () => next();
      })
      // Never `next(err)`: a handler of `node:http` that does not look at it would run.
      .catch(() => () => refuse(unverifiedRefusal()))
      // Outside of the promise: what a handler throws is its framework's to see, and must not be answered here.
      .then(process.nextTick);
  };
}

/** The question about a Node request, by all its headers as they came. */
export function askAbout(check: Check, req: IncomingMessage): ReturnType<Check> {
  const headers = [...rawHeadersOf(req)];
  return check(headers, forwardingHeadersOf(headers, req.socket.remoteAddress));
}

export function setHeaders(res: ServerResponse, verdict: Headers): void {
  for (const [name, value] of answerHeaders(verdict, (header) => res.hasHeader(header))) res.setHeader(name, value);
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
