import { ConnectError, createContextValues } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerRequest } from "@connectrpc/connect/protocol";
import type { Awaitable } from "../domain/vocabulary/awaitable.ts";
import { type Call, setCall } from "../interceptors/call.ts";
import type { ErrorTranslator } from "../interceptors/errors.ts";
import type { CheckCaller } from "../interceptors/gate/check-caller.ts";
import type { Gate } from "../interceptors/gate/gate.ts";
import { type Policies, policyOf } from "../interceptors/policies.ts";
import type { Outcome } from "./answer/answer-code.ts";
import type { AccessLog } from "./answer/answered.ts";
import type { Cors } from "./answer/cors.ts";
import { type Answer, faultAnswer, type TransportFault, toAnswer } from "./answer/envelope.ts";
import { markAnswer } from "./answer/mark.ts";
import { PlainHeaders } from "./answer/plain-headers.ts";
import type { UnaryAnswer } from "./answer/unary-answer.ts";
import { write, writeUnary } from "./answer/write.ts";
import { atEndOfTick } from "./end-of-tick.ts";
import { AUTH_CHECK_PATH, answerAuthCheck } from "./endpoints/auth-check.ts";
import { CONSOLE_PATH, type ConsolePages } from "./endpoints/console.ts";
import { answerGithubLeaks, GITHUB_LEAKS_PATH, type GithubLeaksContext } from "./endpoints/github-leaks.ts";
import { answerIdentityClaims, IDENTITY_CLAIMS_PATH, type IdentityClaimsContext } from "./endpoints/identity-claims.ts";
import { HEALTHZ_PATH, type Probes } from "./endpoints/probes.ts";
import { answerStream } from "./grpc/stream.ts";
import { CONNECTION, connectionOf } from "./http/connection.ts";
import { type BodyFlags, readBody, requestBody } from "./request/body.ts";
import { bodyFault } from "./request/body-faults.ts";
import type { ClientAddress } from "./request/client-address.ts";
import { clientDisconnectSignal } from "./request/client-disconnect.ts";
import { BodyReader, namesCost } from "./request/cost.ts";
import type { ExchangeListener, Incoming, Outgoing } from "./request/exchange.ts";
import { newCall, pathOf, toWebHeaders } from "./request/incoming-call.ts";
import { canonicalMediaType, contentTypeOf } from "./request/media-type.ts";
import { mediaTypeProblem } from "./request/media-type-problem.ts";
import { createNearPath } from "./request/near-path.ts";
import { isGrpc } from "./request/protocol-headers.ts";
import { createUnary, failedAnswer, type UnaryRpc } from "./unary.ts";

/** Counts the requests being served, by a number: a call for each beginning and end would cost more. */
export interface InFlight {
  requests: number;
}

/** What stands behind a port. */
export interface FrontDoor {
  /** One per RPC, as Connect's router makes them. */
  readonly handlers: readonly UniversalHandler[];
  /** The same RPCs, for the lean path. */
  readonly rpcs: readonly UnaryRpc[];
  /** Those of the protocol's own services, which anyone may call and which have no policy. */
  readonly openHandlers: readonly UniversalHandler[];
  readonly clientAddress: ClientAddress;
  readonly gate: Gate;
  readonly translate: ErrorTranslator;
  /** For `/auth/check`. Undefined: the port does not have it. */
  readonly checkCaller: CheckCaller | undefined;
  /** For the login hook of the identity provider. Undefined: there is none. */
  readonly identityClaims?: IdentityClaimsContext | undefined;
  /** For reports of GitHub's secret scanning. Undefined: they are not taken. */
  readonly githubLeaks?: GithubLeaksContext | undefined;
  readonly policies: Policies;
  readonly probes: Probes;
  /** Undefined: the port does not have it. */
  readonly console?: ConsolePages | undefined;
  readonly cors: Cors;
  readonly accessLog: AccessLog;
  readonly inFlight: InFlight;
}

/**
 * The front door: finds the RPC of a path, has Connect's handler serve it, and writes one answer, whatever happens.
 *
 * Every RPC is served by the same handler on the path of its annotation and on its Connect path. Connect's own Node
 * adapter is not used: it builds a URL from the Host header outside of any try, so `Host: [` ends the process.
 */
export function createHandler(ctx: FrontDoor): ExchangeListener {
  const routes = new Map<string, UniversalHandler>();
  for (const handler of ctx.handlers) {
    routes.set(handler.requestPath, handler);
    routes.set(policyOf(ctx.policies, handler.method).path, handler);
  }
  const unary = createUnary(ctx);
  const openRoutes = new Map(ctx.openHandlers.map((handler) => [handler.requestPath, handler]));
  const nearPath = createNearPath(
    ctx.handlers.map(({ method }) => policyOf(ctx.policies, method).path),
    [
      ...(ctx.checkCaller ? [AUTH_CHECK_PATH] : []),
      ...(ctx.identityClaims ? [IDENTITY_CLAIMS_PATH] : []),
      ...(ctx.githubLeaks ? [GITHUB_LEAKS_PATH] : []),
      ...ctx.probes.keys(),
      ...(ctx.console ? [CONSOLE_PATH] : []),
    ],
    ctx.handlers.map(({ requestPath }) => requestPath),
  );
  const openStreams = new Map([...openRoutes].filter(([, { method }]) => method.methodKind !== "unary"));

  /** Answers a request that needs nothing of Connect's; undefined: it does. */
  function answerLean(path: string, req: Incoming, res: Outgoing, call: Call): Awaitable<UnaryAnswer> | undefined {
    // Before any preflight is answered: a proxy would take that for a permission.
    if (path === AUTH_CHECK_PATH && ctx.checkCaller !== undefined) return answerAuthCheck(req, call, ctx.checkCaller);
    if (path === IDENTITY_CLAIMS_PATH && ctx.identityClaims !== undefined && req.method === "POST")
      return answerIdentityClaims(ctx.identityClaims, req, call);
    if (path === GITHUB_LEAKS_PATH && ctx.githubLeaks !== undefined && req.method === "POST")
      return answerGithubLeaks(ctx.githubLeaks, req, call);
    return unary.answer(path, req, res, call);
  }

  function serveLean(path: string, complete: UnaryAnswer, req: Incoming, res: Outgoing, call: Call): Outcome {
    const broken = brokenAnswer(req);
    if (broken !== undefined) return serveWhole(path, broken, req, res, call);
    ctx.gate.conclude(call);
    markAnswer(complete, call, ctx.cors, req.headers.origin);
    writeUnary(res, complete);
    return complete;
  }

  async function serveByConnect(path: string, req: Incoming, res: Outgoing, call: Call): Promise<Outcome> {
    const stream = openStreams.get(path);
    if (stream !== undefined && routingFault(req, stream) === undefined) return serveStream(stream, req, res, call);
    const answered = await answer(path, req, res, call).catch((err: unknown) => {
      ctx.accessLog.unforeseen(err, call);
      return faultAnswer("internal");
    });
    return serveWhole(path, brokenAnswer(req) ?? answered, req, res, call);
  }

  function serveWhole(path: string, complete: Answer, req: Incoming, res: Outgoing, call: Call): Outcome {
    ctx.gate.conclude(call);
    markAnswer(complete, call, corsOf(path), req.headers.origin);
    write(res, complete);
    return complete;
  }

  async function answer(path: string, req: Incoming, res: Outgoing, call: Call): Promise<Answer> {
    const preflight = ctx.cors.preflight(req);
    if (preflight !== undefined) return preflight;
    const probe = ctx.probes.get(path) ?? ctx.console?.(path);
    if (probe !== undefined) {
      await reportLimit(call);
      return req.method === "GET" || req.method === "HEAD" ? probe(req) : faultAnswer("only_get_allowed");
    }
    const isPostOnly =
      (path === IDENTITY_CLAIMS_PATH && ctx.identityClaims !== undefined) ||
      (path === GITHUB_LEAKS_PATH && ctx.githubLeaks !== undefined);
    if (isPostOnly) return refuse("method_not_allowed", call, path);
    const handler = routes.get(path);
    const open = openRoutes.get(path);
    const fault = routingFault(req, handler ?? open);
    if (handler === undefined) {
      if (open === undefined || fault !== undefined) return refuse(fault ?? "not_found", call, path);
      await reportLimit(call);
      return (await answerUnary(open, true, req, res, call)) ?? faultAnswer("unsupported_media_type");
    }
    if (fault !== undefined) return isOfBody(fault) ? refuseBody(fault, handler, req, call) : refuse(fault, call, path);
    const { ignoreUnknownMembers } = policyOf(ctx.policies, handler.method);
    const answered = await answerUnary(handler, ignoreUnknownMembers, req, res, call);
    return answered ?? refuseBody("unsupported_media_type", handler, req, call);
  }

  /** Undefined: the content type is one that Connect takes for streams only. */
  async function answerUnary(
    handler: UniversalHandler,
    ignoreUnknownMembers: boolean,
    req: Incoming,
    res: Outgoing,
    call: Call,
  ): Promise<Answer | undefined> {
    call.procedure = handler.requestPath.slice(1);
    const { method } = handler;
    const read = (flags: BodyFlags) => readBody(req, method.input, ignoreUnknownMembers, flags);
    const reader = new BodyReader(call, read, (whole) => whole.message());
    if (namesCost(method)) call.costReader = reader;
    const body = requestBody(reader);
    const response = await handler({ ...toUniversal(req, res, call, handler), body });
    if (response.status === 415) return undefined;
    const complete = await toAnswer(response, call);
    // Connect leaves it out of an error's metadata.
    if (isGrpc(req)) complete.headers.set("grpc-accept-encoding", "identity");
    return complete;
  }

  async function refuse(fault: TransportFault, call: Call, path: string): Promise<Answer> {
    await ctx.gate.refuse(call);
    const near = fault === "not_found" ? nearPath(path) : undefined;
    return faultAnswer(fault, near && `No such path; ${near}`);
  }

  /** The caller is checked before the body, and so before the headers that describe it. */
  async function refuseBody(
    fault: TransportFault,
    { method }: UniversalHandler,
    req: Incoming,
    call: Call,
  ): Promise<Answer> {
    try {
      await ctx.gate.check(method, call);
    } catch (err) {
      return plainAnswer(failedAnswer(ConnectError.from(err), new PlainHeaders(), call));
    }
    return faultAnswer(fault, fault === "unsupported_media_type" ? mediaTypeProblem(req) : undefined);
  }

  /** Where anyone may call, the limit of a key that is presented is reported too. */
  async function reportLimit(call: Call): Promise<void> {
    if (call.credentials.apiKey.length > 0) await ctx.gate.identify(call);
  }

  async function serveStream(handler: UniversalHandler, req: Incoming, res: Outgoing, call: Call): Promise<Outcome> {
    call.procedure = handler.requestPath.slice(1);
    await reportLimit(call);
    const request = toUniversal(req, res, call, handler);
    const { origin } = req.headers;
    return answerStream(handler, request, req, res, (answer) => markAnswer(answer, call, ctx.cors, origin));
  }

  /**
   * Which pages of other origins may read the answer. A browser can reach what operators keep from the public, from the
   * network of its user. Of the probes, only the one that reveals nothing is readable by all.
   */
  function corsOf(path: string): Cors | undefined {
    const isPage = ctx.probes.has(path) || ctx.console?.(path) !== undefined;
    return path === HEALTHZ_PATH || !isPage ? ctx.cors : undefined;
  }

  const serveLater = atEndOfTick(serve);

  function serve(exchange: Exchange): void {
    const { req, res, call } = exchange;
    try {
      const path = pathOf(req);
      const lean = answerLean(path, req, res, call);
      if (lean === undefined || lean instanceof Promise) void finishLater(exchange, path, lean);
      else finish(exchange, serveLean(path, lean, req, res, call));
    } catch (err) {
      fail(exchange, err);
    }
  }

  async function finishLater(exchange: Exchange, path: string, lean: Promise<UnaryAnswer> | undefined): Promise<void> {
    const { req, res, call } = exchange;
    try {
      const outcome =
        lean === undefined ? await serveByConnect(path, req, res, call) : serveLean(path, await lean, req, res, call);
      finish(exchange, outcome);
    } catch (err) {
      fail(exchange, err);
    }
  }

  function finish({ req, call, startedAt }: Exchange, outcome: Outcome): void {
    ctx.accessLog.answered(req, outcome, call, performance.now() - startedAt);
    ctx.inFlight.requests -= 1;
  }

  function fail({ res, call }: Exchange, err: unknown): void {
    ctx.accessLog.unforeseen(err, call);
    res.destroy();
    ctx.inFlight.requests -= 1;
  }

  return (req, res) => {
    ctx.inFlight.requests += 1;
    serveLater({ req, res, call: newCall(req, ctx.clientAddress), startedAt: performance.now() });
  };
}

/** A request and what becomes of it. */
interface Exchange {
  readonly req: Incoming;
  readonly res: Outgoing;
  readonly call: Call;
  readonly startedAt: number;
}

/** What takes the place of any answer, where the body turned out to be none: a proxy could see two requests in it. */
function brokenAnswer(req: Incoming): Answer | undefined {
  const broken = bodyFault(req);
  return broken && faultAnswer(broken.fault, broken.message);
}

function plainAnswer({ status, code, headers, body }: UnaryAnswer): Answer {
  return { status, code, headers: headers.toHeaders(), body: Buffer.from(body), trailers: undefined };
}

function isOfBody(fault: TransportFault): boolean {
  return fault === "unsupported_media_type" || fault === "unsupported_content_encoding";
}

/** Why a request never reaches Connect's handler, if so. */
function routingFault(req: Incoming, handler: UniversalHandler | undefined): TransportFault | undefined {
  if (handler === undefined) return "not_found";
  if (req.method !== "POST") return "method_not_allowed";
  if (!handler.supportedContentType(canonicalMediaType(contentTypeOf(req)))) return "unsupported_media_type";
  const encoding = req.headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity") return "unsupported_content_encoding";
  return handler.method.methodKind === "bidi_streaming" && req.httpVersion !== "2.0" ? "needs_http2" : undefined;
}

function toUniversal(
  req: Incoming,
  res: Outgoing,
  call: Call,
  handler: UniversalHandler,
): Omit<UniversalServerRequest, "body"> {
  return {
    httpVersion: req.httpVersion,
    method: "POST",
    // Connect only reads the query of it; the caller's Host must not come near a URL parser.
    url: `http://localhost${handler.requestPath}`,
    header: toWebHeaders(req),
    signal: clientDisconnectSignal(res),
    contextValues: setCall(createContextValues(), call).set(CONNECTION, connectionOf(req)),
  };
}
