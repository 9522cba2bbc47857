import type { Call } from "../interceptors/call.ts";
import type { Outcome } from "./answer/answer-code.ts";
import type { AccessLog } from "./answer/answered.ts";
import type { Cors } from "./answer/cors.ts";
import { faultAnswer } from "./answer/envelope.ts";
import { markAnswer } from "./answer/mark.ts";
import type { PlainAnswer } from "./answer/plain-answer.ts";
import { asProblem } from "./answer/problem.ts";
import { write } from "./answer/write.ts";
import { atEndOfTick } from "./end-of-tick.ts";
import { createReplies, type RepliesContext, type Reply } from "./replies.ts";
import { bodyFault } from "./request/body-faults.ts";
import type { ClientAddress } from "./request/client-address.ts";
import type { ExchangeListener, Incoming, Outgoing } from "./request/exchange.ts";
import { newCall, pathOf } from "./request/incoming-call.ts";
import { createRoutes, type Route, type RoutesContext } from "./routes.ts";

/** Counts the requests being served, by a number: a call for each beginning and end would cost more. */
export interface InFlight {
  requests: number;
}

/** What stands behind a port. */
export interface FrontDoor extends RoutesContext, RepliesContext {
  readonly clientAddress: ClientAddress;
  readonly accessLog: AccessLog;
  readonly inFlight: InFlight;
}

/** A request and what becomes of it. */
interface Exchange {
  readonly req: Incoming;
  readonly res: Outgoing;
  readonly call: Call;
  readonly startedAt: number;
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
  const serveLater = atEndOfTick(serve);

  function serve(exchange: Exchange): void {
    try {
      const route = routes.find(pathOf(exchange.req));
      const reply = replyTo(route, exchange.req, exchange.res, exchange.call);
      if (reply instanceof Promise) void finishLater(exchange, route, reply);
      else finish(exchange, route, reply);
    } catch (err) {
      fail(exchange, err);
    }
  }

  async function finishLater(exchange: Exchange, route: Route | undefined, replying: Promise<Reply>): Promise<void> {
    try {
      let reply: Reply;
      try {
        reply = await replying;
      } catch (err) {
        if (exchange.res.headersSent) throw err;
        ctx.accessLog.unforeseen(err, exchange.call);
        reply = faultAnswer("internal");
      }
      finish(exchange, route, reply);
    } catch (err) {
      fail(exchange, err);
    }
  }

  function finish({ req, res, call, startedAt }: Exchange, route: Route | undefined, reply: Reply): void {
    let outcome: Outcome = reply;
    if ("headers" in reply) {
      const answer = asProblem(brokenAnswer(req) ?? reply, req.headers.accept);
      ctx.gate.conclude(call);
      markAnswer(answer, call, corsOf(route), req.headers.origin);
      write(res, answer);
      outcome = answer;
    }
    ctx.accessLog.answered(req, outcome, call, performance.now() - startedAt);
    ctx.inFlight.requests -= 1;
  }

  function corsOf(route: Route | undefined): Cors | undefined {
    return route?.kind === "endpoint" && !route.endpoint.isReadableByPages ? undefined : ctx.cors;
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

/** What takes the place of any answer, where the body turned out to be none: a proxy could see two requests in it. */
function brokenAnswer(req: Incoming): PlainAnswer | undefined {
  const broken = bodyFault(req);
  return broken && faultAnswer(broken.fault, broken.message);
}
