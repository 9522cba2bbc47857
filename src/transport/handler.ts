import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Code, ConnectError, createContextValues } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerRequest } from "@connectrpc/connect/protocol";
import { newId } from "../domain/ids.ts";
import { SECRET_PATTERN } from "../domain/keys/secret.ts";
import { type Call, setCall } from "../interceptors/call.ts";
import type { Gate } from "../interceptors/gate.ts";
import { type Policies, policyOf } from "../interceptors/policies.ts";
import type { AccessLog } from "./access-log.ts";
import { requestBody } from "./body.ts";
import { type Answer, faultAnswer, type TransportFault, toAnswer } from "./envelope.ts";
import { setLimitHeaders } from "./limit-headers.ts";
import type { Probes } from "./probes.ts";

export interface HandlerContext {
  /** One per RPC, as Connect's router makes them. */
  readonly handlers: readonly UniversalHandler[];
  readonly gate: Pick<Gate, "identify">;
  readonly policies: Policies;
  readonly probes: Probes;
  readonly accessLog: AccessLog;
}

/** Why a call's signal is aborted when its client leaves; made once, since building an error costs a stack trace. */
const CLIENT_LEFT = new ConnectError("the client closed the connection", Code.Canceled);
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * The front door: finds the RPC of a path, has Connect's handler serve it, and writes one answer, whatever happens.
 *
 * Every RPC is served by the same handler on the path of its annotation and on its Connect path. Connect's own Node
 * adapter is not used: it builds a URL from the Host header outside of any try, so `Host: [` ends the process.
 */
export function createHandler(ctx: HandlerContext): RequestListener {
  const routes = new Map<string, UniversalHandler>();
  for (const handler of ctx.handlers) {
    routes.set(handler.requestPath, handler);
    routes.set(policyOf(ctx.policies, handler.method).path, handler);
  }

  async function answer(req: IncomingMessage, res: ServerResponse, call: Call): Promise<Answer> {
    const path = pathOf(req);
    const probe = ctx.probes.get(path);
    if (probe !== undefined && (req.method === "GET" || req.method === "HEAD")) return probe(req);
    const handler = routes.get(path);
    const fault = routingFault(req, handler);
    if (handler === undefined || fault !== undefined) {
      await ctx.gate.identify(call);
      return faultAnswer(fault ?? "not_found");
    }
    call.procedure = handler.requestPath.slice(1);
    return toAnswer(await handler(toUniversal(req, res, call, handler)), call);
  }

  function toUniversal(
    req: IncomingMessage,
    res: ServerResponse,
    call: Call,
    handler: UniversalHandler,
  ): UniversalServerRequest {
    const { ignoreUnknownMembers } = policyOf(ctx.policies, handler.method);
    return {
      httpVersion: req.httpVersion,
      method: "POST",
      // Connect only reads the query of it; the caller's Host must not come near a URL parser.
      url: `http://localhost${handler.requestPath}`,
      header: toWebHeaders(req),
      body: requestBody(req, handler.method.input, ignoreUnknownMembers),
      signal: leavingSignal(res),
      contextValues: setCall(createContextValues(), call),
    };
  }

  return (req, res) => {
    const call = newCall(req);
    const startedAt = performance.now();
    answer(req, res, call)
      .catch((err: unknown) => {
        ctx.accessLog.unforeseen(err, call);
        return faultAnswer("internal");
      })
      .then((complete) => {
        write(res, complete, call);
        ctx.accessLog.answered(req, complete.status, call, performance.now() - startedAt);
      })
      .catch((err: unknown) => {
        ctx.accessLog.unforeseen(err, call);
        res.destroy();
      });
  };
}

/** Why a request never reaches Connect's handler, if so. */
function routingFault(req: IncomingMessage, handler: UniversalHandler | undefined): TransportFault | undefined {
  if (handler === undefined) return "not_found";
  if (req.method !== "POST") return "method_not_allowed";
  if (!handler.supportedContentType(req.headers["content-type"] ?? "")) return "unsupported_media_type";
  const encoding = req.headers["content-encoding"] ?? "identity";
  return encoding.toLowerCase() === "identity" ? undefined : "unsupported_content_encoding";
}

function newCall(req: IncomingMessage): Call {
  const sent = req.headers["x-request-id"];
  const isSane = typeof sent === "string" && REQUEST_ID.test(sent) && !SECRET_PATTERN.test(sent);
  const requestId = isSane ? sent : newId("req");
  return {
    requestId,
    credentials: {
      apiKey: headerValues(req, "x-api-key"),
      authorization: headerValues(req, "authorization"),
      onBehalfOf: headerValues(req, "x-on-behalf-of"),
    },
  };
}

/** All values of a header. Node joins two `X-API-Key` and keeps the first of two `Authorization`: neither will do. */
function headerValues(req: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < req.rawHeaders.length; i += 2) {
    if (req.rawHeaders[i]?.toLowerCase() === name) values.push(req.rawHeaders[i + 1] ?? "");
  }
  return values;
}

/** The path as sent, byte for byte: a path that had to be normalised first could be read otherwise by a proxy. */
function pathOf(req: IncomingMessage): string {
  const target = (req.url ?? "").split("?", 1)[0] ?? "";
  // The absolute form, as a proxy may send it, has to be accepted (RFC 9112, 3.2.2).
  return target.replace(/^https?:\/\/[^/]+/i, "");
}

/** Credentials stay behind: after the gate nobody reads them again, and the gate has them from the call. */
function toWebHeaders(req: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    if (value === undefined || name.startsWith(":") || name === "x-api-key" || name === "authorization") continue;
    headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  return headers;
}

function leavingSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) controller.abort(CLIENT_LEFT);
  });
  return controller.signal;
}

function write(res: ServerResponse, { status, headers, body, trailers }: Answer, call: Call): void {
  headers.set("X-Request-Id", call.requestId);
  headers.set("Content-Length", String(body.byteLength));
  headers.set("X-Content-Type-Options", "nosniff");
  if (call.limit !== undefined) setLimitHeaders(headers, call.limit);
  if (trailers === undefined) {
    res.writeHead(status, Object.fromEntries(headers));
    res.end(body);
    return;
  }
  headers.delete("Content-Length");
  res.writeHead(status, Object.fromEntries(headers));
  res.write(body);
  res.addTrailers([...trailers]);
  res.end();
}
