import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { TransportFault } from "../answer/envelope.ts";
import { reportBodyFault } from "../request/body-faults.ts";
import type { ExchangeListener } from "../request/exchange.ts";
import type { HttpLimits } from "./http-limits.ts";
import { type ParserError, parseFault } from "./parse-faults.ts";
import type { Pipelining } from "./pipelining.ts";
import { cannotAnswer, closeAfterLinger, type Refusals } from "./refusals.ts";

const HOST = "host";
const TRANSFER_ENCODING = "transfer-encoding";
/** A host and a port (RFC 9110, 7.2). An http URL has a host, so an empty value is a fault (RFC 9110, 4.2.1). */
const HOST_VALUE = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~%!$&'()*+,;=-]+)(?::\d*)?$/;
/** Matches a `Connection` header that names one of our headers as hop-by-hop (RFC 9110, 7.6.1). */
const NAMES_OUR_HEADERS = /(?:^|[\s,])(?:(?:x-api-key|authorization|x-on-behalf-of|dpop)(?=[\s,]|$)|x-auth-)/i;

/**
 * Serves HTTP/1.1 requests, one at a time per connection. Also answers, in our format, the faults that Node would answer
 * with an empty body or with a second answer to one request.
 */
export function serveHttp1(
  server: Server,
  handler: ExchangeListener,
  {
    refusals,
    limits,
    pipelining,
  }: { refusals: Refusals; limits: Pick<HttpLimits, "headerFieldsMax">; pipelining: Pipelining },
): void {
  /** Sockets whose fault was handled. Node reports the fault again with every byte that follows. */
  const faulty = new WeakSet<Duplex>();

  server.on("request", (req, res) => {
    // The request follows the last answer of its connection, so that it could not be answered.
    if (!req.socket.writable) return;
    const before = pipelining.add(req.socket, res);
    if (before === undefined) serve(req, res);
    else pipelining.after(before, req.socket, () => serve(req, res));
  });
  server.on("checkExpectation", (req, res) => {
    const refuse = () => refuseAndClose("expectation_failed", req, res);
    const before = pipelining.add(req.socket, res);
    if (before === undefined) refuse();
    else pipelining.after(before, req.socket, refuse);
  });
  server.on("connect", (req, socket) => {
    const refuse = () => refusals.end("method_not_allowed", req, socket);
    const before = pipelining.latest(socket);
    if (before === undefined) refuse();
    else pipelining.after(before, socket, refuse);
  });
  server.on("clientError", (err: ParserError, socket) => {
    if (faulty.has(socket)) return;
    faulty.add(socket);
    const refuse = () => refusals.refuseBytes(err, socket);
    const answer = pipelining.latest(socket);
    if (answer === undefined) refuse();
    else if (answer.req.complete) pipelining.after(answer, socket, refuse);
    // The fault is in the body of the latest request. Either its answer was sent, or the fault becomes its answer.
    else if (answer.headersSent) closeAfterLinger(socket);
    else if (cannotAnswer(err, socket)) socket.destroy();
    else {
      makeLast(answer, socket);
      reportBodyFault(answer.req, parseFault(err));
    }
  });

  function serve(req: IncomingMessage, res: ServerResponse): void {
    const fault = headFault(req, limits.headerFieldsMax);
    if (fault === undefined) handler(req, res);
    else refuseAndClose(fault, req, res);
  }

  function refuseAndClose(fault: TransportFault, req: IncomingMessage, res: ServerResponse): void {
    res.shouldKeepAlive = false;
    refusals.refuse(fault, req, res);
  }
}

/** Makes an answer its connection's last. Node would close while the client still sends, which could lose the answer. */
function makeLast(answer: ServerResponse, socket: Duplex): void {
  answer.shouldKeepAlive = false;
  Object.assign(socket, { destroySoon: () => closeAfterLinger(socket) });
}

/** Faults that could make a proxy in front of us read the head differently (request smuggling). */
function headFault(
  { httpVersion, rawHeaders, headers }: IncomingMessage,
  fieldsMax: number,
): TransportFault | undefined {
  // Node also accepts 0.9 and 2.0 in a request line, and then parses the request as HTTP/1.1.
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return "http_version_not_supported";
  if (rawHeaders.length > 2 * fieldsMax) return "headers_too_large";
  if (namesOurHeaders(headers.connection)) return "invalid_connection";
  let hosts = 0;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    // The length rules out most names cheaply.
    if (name.length === HOST.length && name.toLowerCase() === HOST) {
      hosts += 1;
      if (!HOST_VALUE.test(rawHeaders[i + 1] ?? "")) return "invalid_host";
    } else if (name.length === TRANSFER_ENCODING.length && name.toLowerCase() === TRANSFER_ENCODING) {
      if (rawHeaders[i + 1]?.toLowerCase() !== "chunked") return "invalid_transfer_encoding";
    }
  }
  return hosts === 1 || (hosts === 0 && httpVersion === "1.0") ? undefined : "invalid_host";
}

/**
 * Whether a proxy that obeys `Connection` would drop a header that we authenticate by, or one of our answer to its check
 * (`/auth/check`). Without `X-On-Behalf-Of`, a request for one user would count as one for the whole tenant.
 */
function namesOurHeaders(connection: string | undefined): boolean {
  if (connection === undefined || connection === "keep-alive" || connection === "close") return false;
  return NAMES_OUR_HEADERS.test(connection);
}
