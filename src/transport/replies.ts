import { ConnectError } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import type { Awaitable } from "../domain/vocabulary/awaitable.ts";
import type { Call } from "../interceptors/call.ts";
import type { ErrorTranslator } from "../interceptors/errors.ts";
import type { Gate } from "../interceptors/gate/gate.ts";
import type { Outcome } from "./answer/answer-code.ts";
import { compressed, mayCompress } from "./answer/compression.ts";
import type { Cors } from "./answer/cors.ts";
import { type Answer, faultAnswer, type TransportFault } from "./answer/envelope.ts";
import { failedAnswer } from "./answer/failed-answer.ts";
import { markAnswer } from "./answer/mark.ts";
import type { PlainAnswer } from "./answer/plain-answer.ts";
import { type AnyAnswer, callEndpoint, type Endpoint } from "./endpoints/endpoint.ts";
import { answerByConnect, routingFault, toUniversal } from "./grpc/connect-handler.ts";
import { bodyBytesMaxOf } from "./grpc/open-services.ts";
import { answerStream } from "./grpc/stream.ts";
import type { Incoming, Outgoing } from "./request/exchange.ts";
import type { HeldBodies } from "./request/held-bodies.ts";
import { pathOf } from "./request/incoming-call.ts";
import { contentTypeOf } from "./request/media-type.ts";
import { mediaTypeProblem } from "./request/media-type-problem.ts";
import { isRpcPath } from "./request/near-path.ts";
import type { Route, Routes } from "./routes.ts";
import { createUnary, isPlainType } from "./unary.ts";

export interface RepliesContext {
  readonly gate: Gate;
  readonly translate: ErrorTranslator;
  readonly cors: Cors;
  /** Counts the bodies of all ports. */
  readonly bodies: HeldBodies;
}

/** An answer to be written. Of a stream only the outcome: it is written as it is made. */
export type Reply = AnyAnswer | Outcome;

/** Has a request served by the route of its path, if it may be, or refuses it. `body`: reading it has begun. */
export function createReplies(ctx: RepliesContext, nearPath: Routes["nearPath"]) {
  const unary = createUnary(ctx);

  function replyTo(
    route: Route | undefined,
    req: Incoming,
    res: Outgoing,
    call: Call,
    body?: Awaitable<Uint8Array>,
  ): Awaitable<Reply> {
    const lean = route?.kind === "rpc" ? unary.answer(route.unary, req, res, call) : undefined;
    if (lean !== undefined) return mayCompress(req) ? compressed(lean, req, call) : lean;
    if (route?.kind === "endpoint" && route.endpoint.method === "any")
      return callEndpoint(route.endpoint, req, call, ctx);
    return ctx.cors.preflight(req) ?? replyByKind(route, req, res, call, body);
  }

  function replyByKind(
    route: Route | undefined,
    req: Incoming,
    res: Outgoing,
    call: Call,
    body: Awaitable<Uint8Array> | undefined,
  ): Promise<Reply> {
    switch (route?.kind) {
      case undefined:
        return refusePath(pathOf(req), call);
      case "endpoint":
        return replyOfEndpoint(route.endpoint, req, call, body);
      case "open":
        return replyOfOpen(route.handler, req, res, call);
      case "rpc":
        return replyOfRpc(route, req, res, call);
    }
  }

  async function replyOfEndpoint(
    endpoint: Endpoint,
    req: Incoming,
    call: Call,
    body: Awaitable<Uint8Array> | undefined,
  ): Promise<AnyAnswer> {
    if (endpoint.method === "POST" && req.method !== "POST") return refuse("method_not_allowed", call);
    if (endpoint.method === "GET") {
      const isServed = req.method === "GET" || req.method === "HEAD";
      if (!isServed && endpoint.otherMethods === "not_found") return refusePath(pathOf(req), call);
      await reportLimit(call);
      if (!isServed) return faultAnswer("only_get_allowed");
    }
    return callEndpoint(endpoint, req, call, ctx, body);
  }

  async function replyOfOpen(handler: UniversalHandler, req: Incoming, res: Outgoing, call: Call): Promise<Reply> {
    const fault = routingFault(req, handler);
    if (fault !== undefined) return refuse(fault, call);
    call.procedure = handler.requestPath.slice(1);
    await reportLimit(call);
    if (handler.method.methodKind === "unary")
      return (
        (await answerByConnect(handler, true, req, res, call, ctx.bodies, bodyBytesMaxOf(handler))) ??
        faultAnswer("unsupported_media_type")
      );
    const mark = (answer: Pick<Answer, "status" | "headers">) => markAnswer(answer, call, ctx.cors, req.headers.origin);
    return answerStream(handler, toUniversal(handler, req, res, call), req, res, mark, { call, bodies: ctx.bodies });
  }

  async function replyOfRpc(
    { handler, unary: { procedure, ignoreUnknownMembers } }: Extract<Route, { kind: "rpc" }>,
    req: Incoming,
    res: Outgoing,
    call: Call,
  ): Promise<Reply> {
    // A POST of a plain type is past the lean path only for its encoding.
    const isPlain = req.method === "POST" && isPlainType(contentTypeOf(req));
    const fault = isPlain ? "unsupported_content_encoding" : routingFault(req, handler);
    if (fault === "unsupported_media_type" || fault === "unsupported_content_encoding")
      return refuseBody(fault, handler, req, call);
    if (fault !== undefined) return refuse(fault, call);
    call.procedure = procedure;
    const answer = await answerByConnect(handler, ignoreUnknownMembers, req, res, call, ctx.bodies);
    return answer ?? refuseBody("unsupported_media_type", handler, req, call);
  }

  async function refuse(fault: TransportFault, call: Call): Promise<PlainAnswer> {
    await ctx.gate.refuse(call);
    return faultAnswer(fault);
  }

  async function refusePath(path: string, call: Call): Promise<PlainAnswer> {
    await ctx.gate.refuse(call);
    const near = nearPath(path);
    return faultAnswer(isRpcPath(path) ? "unknown_rpc" : "not_found", near && `No such path; ${near}`);
  }

  /** The caller is checked before the body, and so before the headers that describe it. */
  async function refuseBody(
    fault: TransportFault,
    { method }: UniversalHandler,
    req: Incoming,
    call: Call,
  ): Promise<PlainAnswer> {
    try {
      await ctx.gate.check(method, call);
    } catch (err) {
      return failedAnswer(ConnectError.from(err), call);
    }
    return faultAnswer(fault, fault === "unsupported_media_type" ? mediaTypeProblem(req) : undefined);
  }

  /** Where anyone may call, the limit of a key that is presented is reported too. */
  async function reportLimit(call: Call): Promise<void> {
    if (call.credentials.apiKey.length > 0) await ctx.gate.identify(call);
  }

  return replyTo;
}
