import type { Duplex } from "node:stream";
import { newId } from "../domain/ids.ts";
import type { AccessLog, AnsweredRequest } from "./access-log.ts";
import type { Cors } from "./cors.ts";
import { faultAnswer, type TransportFault } from "./envelope.ts";
import type { Incoming, Outgoing } from "./exchange.ts";
import { requestIdOf } from "./incoming-call.ts";
import { STATUS_CODES } from "./node-http.ts";
import { write } from "./write.ts";

/** Answers what no handler ever sees, with an id and a line in the log as every answer. */
export interface Refusals {
  /** Answers a request that is refused by its head alone, whoever sent it. */
  refuse(fault: TransportFault, req: Incoming, res: Outgoing): void;
  /** Answers what is no HTTP request at all; after it the connection cannot be trusted and is closed. */
  refuseBytes(err: NodeJS.ErrnoException, socket: Duplex): void;
  /** Answers with a fault on a connection that is given up, and closes it. */
  end(fault: TransportFault, socket: Duplex): void;
}

export interface RefusalsContext {
  readonly cors: Cors;
  readonly accessLog: AccessLog;
}

/** Time for a client to read why it is cut off. One that does not close then would hold the connection for ever. */
export const LINGER_MS = 1_000;

/** Their credentials are never looked at. */
const NO_CREDENTIALS = { apiKey: [], authorization: [], onBehalfOf: [] };

export function createRefusals({ cors, accessLog }: RefusalsContext): Refusals {
  /** The answer, when it has been logged. */
  function logged(fault: TransportFault, requestId: string, req: AnsweredRequest) {
    const answer = faultAnswer(fault);
    answer.headers.set("X-Request-Id", requestId);
    cors.mark(answer.headers, req.headers?.origin);
    const call = { requestId, credentials: NO_CREDENTIALS };
    try {
      accessLog.answered(req, answer.status, call, 0);
    } catch (err) {
      // Nobody above would catch it: the process would end.
      accessLog.unforeseen(err, call);
    }
    return answer;
  }

  function end(fault: TransportFault, socket: Duplex): void {
    const { status, headers, body } = logged(fault, newId("req"), {});
    headers.set("Content-Length", String(body.byteLength));
    headers.set("Connection", "close");
    const head = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
    closeSoon(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${Buffer.from(body).toString()}`);
  }

  return {
    refuse: (fault, req, res) => write(res, logged(fault, requestIdOf(req), req)),
    refuseBytes(err, socket) {
      if (socket.writable && err.code !== "ECONNRESET") end(clientFault(err.code), socket);
      else socket.destroy();
    },
    end,
  };
}

/** Closes a connection, with its last words. */
export function closeSoon(socket: Duplex, text = ""): void {
  socket.end(text);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function clientFault(code: string | undefined): TransportFault {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return "headers_too_large";
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return "request_timeout";
    default:
      return "bad_request";
  }
}
