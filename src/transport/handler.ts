import type { OverloadLimits } from "../config/settings.ts";
import type { Call } from "../interceptors/call.ts";
import type { Outcome } from "./answer/answer-code.ts";
import type { AccessLog } from "./answer/answered.ts";
import type { Cors } from "./answer/cors.ts";
import { faultAnswer } from "./answer/envelope.ts";
import { markAnswer } from "./answer/mark.ts";
import type { PlainAnswer } from "./answer/plain-answer.ts";
import { asProblem } from "./answer/problem.ts";
import { write } from "./answer/write.ts";
import { overloadAnswer } from "./overload/answer.ts";
import { createFlows, type Flow } from "./overload/flows.ts";
import { createRequestQueue } from "./overload/request-queue.ts";
import { createReplies, type RepliesContext, type Reply } from "./replies.ts";
import { bodyFault } from "./request/body-faults.ts";
import type { ClientAddress } from "./request/client-address.ts";
import type { ExchangeListener, Incoming, Outgoing } from "./request/exchange.ts";
import { newCall, pathOf } from "./request/incoming-call.ts";
import { createRoutes, procedureOf, type Route, type RoutesContext } from "./routes.ts";

/** Counts the requests being served, by a number: a call for each beginning and end would cost more. */
export interface InFlight {
  requests: number;
}

/** What stands behind a port. */
export interface FrontDoor extends RoutesContext, RepliesContext {
  readonly clientAddress: ClientAddress;
  readonly accessLog: AccessLog;
  readonly inFlight: InFlight;
  readonly overload: Overload;
}

/** When requests are refused because there are too many. */
export interface Overload extends OverloadLimits {
  /** Called for each request that is refused. */
  readonly onShed: () => void;
}

/** A request and what becomes of it. */
interface Exchange {
  readonly req: Incoming;
  readonly res: Outgoing;
  readonly call: Call;
  /** Undefined: nothing has its path. */
  readonly route: Route | undefined;
  readonly startedAt: number;
  /** Set where the request had to wait for others. */
  flow: Flow | undefined;
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
  const { requestsMax, waitMsMax, onShed } = ctx.overload;
  const flows = createFlows();
  const serveInTurn = createRequestQueue<Exchange>({
    run: serve,
    shed,
    flowOf(exchange) {
      exchange.flow = flows.flowOf(exchange.call);
      return exchange.flow.name;
    },
    isManagement: ({ call }) => call.credentials.apiKey.length === 0,
    arrivedAt: ({ startedAt }) => startedAt,
    waitMsMax,
    now: () => performance.now(),
  });

  function serve(exchange: Exchange): void {
    const { req, res, call, route } = exchange;
    try {
      const reply = replyTo(route, req, res, call);
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
      finish(exchange, overloadAnswer());
    } catch (err) {
      fail(exchange, err);
    }
  }

  async function finishLater(exchange: Exchange, replying: Promise<Reply>): Promise<void> {
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

  function finish({ req, res, call, route, startedAt, flow }: Exchange, reply: Reply): void {
    if (flow !== undefined) flows.learn(flow, call);
    let outcome: Outcome = reply;
    if ("headers" in reply) {
      const answer = asProblem(brokenAnswer(req) ?? reply, req.headers.accept);
      ctx.gate.conclude(call);
      markAnswer(answer, call, corsOf(route), req.headers.origin);
      write(res, answer);
      outcome = answer;
    }
    ctx.accessLog.answered(req, outcome, call, performance.now() - startedAt);
    ended(route);
  }

  function corsOf(route: Route | undefined): Cors | undefined {
    return route?.kind === "endpoint" && !route.endpoint.isReadableByPages ? undefined : ctx.cors;
  }

  function fail({ res, call, route }: Exchange, err: unknown): void {
    ctx.accessLog.unforeseen(err, call);
    res.destroy();
    ended(route);
  }

  function ended(route: Route | undefined): void {
    if (route?.isLong !== true) ctx.inFlight.requests -= 1;
  }

  return (req, res) => {
    const startedAt = performance.now();
    const route = routes.find(pathOf(req));
    if (route?.isLong !== true) ctx.inFlight.requests += 1;
    const exchange: Exchange = { req, res, call: newCall(req, ctx.clientAddress), route, startedAt, flow: undefined };
    // Probes decide whether the process gets requests at all: they wait for none.
    if (route?.isProbe === true) serve(exchange);
    else if (requestsMax > 0 && ctx.inFlight.requests > requestsMax) shed(exchange);
    else serveInTurn(exchange);
  };
}

/** What takes the place of any answer, where the body turned out to be none: a proxy could see two requests in it. */
function brokenAnswer(req: Incoming): PlainAnswer | undefined {
  const broken = bodyFault(req);
  return broken && faultAnswer(broken.fault, broken.message);
}
