import type { OverloadLimits } from "../config/settings.ts";
import type { Awaitable } from "../domain/vocabulary/awaitable.ts";
import type { Call } from "../interceptors/call.ts";
import type { Outcome } from "./answer/answer-code.ts";
import type { AccessLog } from "./answer/answered.ts";
import type { Cors } from "./answer/cors.ts";
import { faultAnswer } from "./answer/envelope.ts";
import { markAnswer } from "./answer/mark.ts";
import type { PlainAnswer } from "./answer/plain-answer.ts";
import { asProblem } from "./answer/problem.ts";
import { write } from "./answer/write.ts";
import { type Endpoint, readEndpointBody } from "./endpoints/endpoint.ts";
import { overloadAnswer } from "./overload/answer.ts";
import { createFlows, type Flow, flowOfAddress, isManager } from "./overload/flows.ts";
import { createProbePlaces } from "./overload/probe-places.ts";
import { createRequestQueue } from "./overload/request-queue.ts";
import { createShares, type Place } from "./overload/shares.ts";
import { createReplies, type RepliesContext, type Reply } from "./replies.ts";
import { bodyFault } from "./request/body-faults.ts";
import type { ClientAddress } from "./request/client-address.ts";
import { type ExchangeListener, type Incoming, isDisconnected, type Outgoing } from "./request/exchange.ts";
import { newCall, pathOf } from "./request/incoming-call.ts";
import { clientTimeoutMs } from "./request/timeout-headers.ts";
import { createRoutes, procedureOf, type Route, type RoutesContext } from "./routes.ts";

/** Counts the requests being served, except probes, by a number: a call for each beginning and end would cost more. */
export interface InFlight {
  requests: number;
}

/** What stands behind a port. */
export interface FrontDoor extends RoutesContext, RepliesContext {
  readonly clientAddress: ClientAddress;
  /** Begins the address of the page about an error. Empty: it is on the same port. */
  readonly docsUrl: string;
  readonly accessLog: AccessLog;
  readonly inFlight: InFlight;
  readonly overload: Overload;
}

/** When requests are refused because there are too many. */
export interface Overload extends OverloadLimits {
  /** Called for each request that is refused. */
  readonly onShed: () => void;
  /** From 0 to below 1: decides when a refused client shall come back. */
  readonly random: () => number;
}

/** Of a request whose client has disconnected, by the status that nginx and Connect have for it. */
const GONE: Outcome = { status: 499, code: "canceled" };

/** A request and what becomes of it. */
interface Exchange {
  readonly req: Incoming;
  readonly res: Outgoing;
  readonly call: Call;
  /** Undefined: nothing has its path. */
  readonly route: Route | undefined;
  readonly startedAt: number;
  /** Set where the request had to wait for others, or where many were under way. */
  flow: Flow | undefined;
  /** Set where it is counted as its caller's. */
  place: Place | undefined;
  /** Set where it is read before its turn, because it describes whose request it is. */
  body: Awaitable<Uint8Array> | undefined;
  /** The same, when it has arrived. */
  description: { readonly body: Uint8Array | undefined; readonly arrivedAt: number } | undefined;
}

/**
 * The front door: finds the route of a path, has it served, and writes one answer, whatever happens.
 *
 * Connect's own Node adapter is not used: it builds a URL from the Host header outside of any try, so `Host: [` ends the
 * process.
 */
export function createHandler(ctx: FrontDoor): ExchangeListener {
  const routes = createRoutes(ctx);
  const replyTo = createReplies(ctx, routes.nearPath);
  const { requestsMax, waitMsMax, burstMs, onShed, random } = ctx.overload;
  const flows = createFlows();
  const shares = createShares(requestsMax);
  const probes = createProbePlaces();
  const serveInTurn = createRequestQueue<Exchange>({
    run: serve,
    shed,
    flowOf: (exchange) => flowOf(exchange).name,
    isManagement: (exchange) =>
      flowOf(exchange).isManager && exchange.route?.kind === "rpc" && exchange.route.isManagement,
    isGone: ({ res }) => isDisconnected(res),
    drop,
    arrivedAt: ({ startedAt, description }) => description?.arrivedAt ?? startedAt,
    timeoutMs: ({ req }) => clientTimeoutMs(req),
    waitMsMax,
    burstMs,
    now: () => performance.now(),
  });

  /** Whose request it is, as far as it is known before its caller is checked. */
  function flowOf(exchange: Exchange): Flow {
    exchange.flow ??= findFlow(exchange);
    return exchange.flow;
  }

  /**
   * A body that is read before its caller is accepted may never end, whatever credentials its head has: anyone can send a
   * tenant's public key. So it is its address's. Where the gate decides by the head, no caller holds a place by credentials
   * that it refuses.
   */
  function findFlow({ req, call, route, description }: Exchange): Flow {
    if (route?.isReadFirst !== true) return flows.flowOf(call);
    if (description?.body === undefined || route.kind !== "endpoint") return flowOfAddress(call.address);
    const described = route.endpoint.describedCaller?.(req, description.body);
    return described === undefined ? flowOfAddress(call.address) : flows.flowOf(described);
  }

  function isTaken(exchange: Exchange): boolean {
    const { requests } = ctx.inFlight;
    return shares.isCounting(requests) && shares.isTaken(flowOf(exchange), requests);
  }

  function isFull(): boolean {
    return requestsMax > 0 && ctx.inFlight.requests > requestsMax;
  }

  /**
   * A request about a call that it describes waits in the line of that call's caller: a proxy's requests are those of many. Until its body
   * has arrived it is the proxy's own.
   */
  function serveDescribed(exchange: Exchange, endpoint: Endpoint): void {
    count(exchange);
    const arrived = (body?: Uint8Array): void => {
      exchange.description = { body, arrivedAt: performance.now() };
      exchange.flow = undefined;
      if (isTaken(exchange)) shed(exchange);
      else {
        exchange.place?.move(flowOf(exchange));
        serveInTurn(exchange);
      }
    };
    const body = readEndpointBody(endpoint, exchange.req, exchange.call, ctx.bodies);
    exchange.body = body;
    // The answer says what is wrong with the body: it waits for it, too.
    if (body instanceof Promise) body.then(arrived, () => arrived());
    else arrived(body);
  }

  function serveProbe(exchange: Exchange, path: string): void {
    if (probes.isTaken(path, exchange.call.address)) shed(exchange);
    else serve(exchange);
  }

  /** Counts a request as its caller's, as far as that is known by now. */
  function count(exchange: Exchange): void {
    const { req, call, route, place } = exchange;
    if (route?.isProbe === true) {
      exchange.place = probes.begin(pathOf(req), call.address);
      return;
    }
    if (route?.isLong === true || !shares.isCounting(ctx.inFlight.requests)) return;
    const owner = flows.learn(call);
    if (place === undefined) exchange.place = shares.begin(owner ?? flowOf(exchange));
    else if (owner !== undefined) place.move(owner);
  }

  function serve(exchange: Exchange): void {
    const { req, res, call, route, body, description } = exchange;
    try {
      const reply = replyTo(route, req, res, call, description?.body ?? body);
      if (reply instanceof Promise) void finishLater(exchange, reply);
      else finish(exchange, reply);
    } catch (err) {
      fail(exchange, err);
    }
  }

  /** Refuses a request before anything of it is looked at but its head. */
  function shed(exchange: Exchange): void {
    const { call, route } = exchange;
    if (route !== undefined) call.procedure = procedureOf(route);
    try {
      onShed();
      finish(exchange, overloadAnswer(exchange.req, random));
    } catch (err) {
      fail(exchange, err);
    }
  }

  /** Ends a request that had to wait, and whose client has gone. */
  function drop(exchange: Exchange): void {
    const { req, call, route, startedAt } = exchange;
    if (route !== undefined) call.procedure = procedureOf(route);
    try {
      ctx.accessLog.answered(req, GONE, call, performance.now() - startedAt);
    } catch (err) {
      ctx.accessLog.unforeseen(err, call);
    }
    ended(exchange);
  }

  async function finishLater(exchange: Exchange, replying: Promise<Reply>): Promise<void> {
    count(exchange);
    try {
      let reply: Reply;
      try {
        reply = await replying;
      } catch (err) {
        if (exchange.res.headersSent) throw err;
        ctx.accessLog.unforeseen(err, exchange.call);
        reply = faultAnswer("internal");
      }
      finish(exchange, reply);
    } catch (err) {
      fail(exchange, err);
    }
  }

  function finish(exchange: Exchange, reply: Reply): void {
    const { req, res, call, route, startedAt, flow } = exchange;
    // The few are always remembered: the call by which an operator ends an overload must not wait behind it.
    if (flow !== undefined || isManager(call)) flows.learn(call);
    let outcome: Outcome = reply;
    if ("headers" in reply) {
      const answer = asProblem(brokenAnswer(req) ?? reply, req.headers.accept, docsUrlOf(route));
      ctx.gate.conclude(call);
      markAnswer(answer, call, corsOf(route), req.headers.origin);
      write(res, answer);
      outcome = answer;
    }
    ctx.accessLog.answered(req, outcome, call, performance.now() - startedAt);
    ended(exchange);
  }

  /** Where who reads an error finds the page about it. */
  function docsUrlOf(route: Route | undefined): string | undefined {
    const isElsewhere = route?.kind === "endpoint" && route.endpoint.isRelayed && ctx.docsUrl === "";
    return isElsewhere ? undefined : ctx.docsUrl;
  }

  function corsOf(route: Route | undefined): Cors | undefined {
    return route?.kind === "endpoint" && !route.endpoint.isReadableByPages ? undefined : ctx.cors;
  }

  function fail(exchange: Exchange, err: unknown): void {
    ctx.accessLog.unforeseen(err, exchange.call);
    exchange.res.destroy();
    ended(exchange);
  }

  function ended({ call, route, place }: Exchange): void {
    place?.end();
    call.heldBody?.end();
    if (isCounted(route)) ctx.inFlight.requests -= 1;
  }

  return (req, res) => {
    const startedAt = performance.now();
    const path = pathOf(req);
    const route = routes.find(path);
    if (isCounted(route)) ctx.inFlight.requests += 1;
    const exchange: Exchange = {
      req,
      res,
      call: newCall(req, ctx.clientAddress),
      route,
      startedAt,
      flow: undefined,
      place: undefined,
      body: undefined,
      description: undefined,
    };
    // Probes decide whether the process gets requests at all: they wait for none.
    if (route?.isProbe === true) serveProbe(exchange, path);
    else if (isFull() || isTaken(exchange)) shed(exchange);
    else if (route?.kind === "endpoint" && route.endpoint.describedCaller !== undefined)
      serveDescribed(exchange, route.endpoint);
    else {
      count(exchange);
      serveInTurn(exchange);
    }
  };
}

function isCounted(route: Route | undefined): boolean {
  return route?.isProbe !== true && route?.isLong !== true;
}

/** What takes the place of any answer, where the body turned out to be none: a proxy could see two requests in it. */
function brokenAnswer(req: Incoming): PlainAnswer | undefined {
  const broken = bodyFault(req);
  return broken && faultAnswer(broken.fault, broken.message);
}
