import type { Duplex } from "node:stream";
import type { Cors } from "./cors.ts";
import { faultAnswer, type TransportFault } from "./envelope.ts";
import type { Incoming, Outgoing } from "./exchange.ts";
import { STATUS_CODES } from "./node-http.ts";
import { write } from "./write.ts";

/** Time for a client to read why it is cut off. One that does not close then would hold the connection for ever. */
export const LINGER_MS = 1_000;

/** Answers what is no HTTP request at all; after it the connection cannot be trusted and is closed. */
export function answerClientError(err: NodeJS.ErrnoException, socket: Duplex, cors: Cors): void {
  if (!socket.writable || err.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  endWith(clientFault(err.code), socket, cors);
}

/** Answers with a fault on a connection that is given up, and closes it. */
export function endWith(fault: TransportFault, socket: Duplex, cors: Cors): void {
  const { status, headers, body } = faultAnswer(fault);
  headers.set("Content-Length", String(body.byteLength));
  headers.set("Connection", "close");
  cors.mark(headers, undefined);
  const head = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  closeSoon(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${Buffer.from(body).toString()}`);
}

/** Closes a connection, with its last words. */
export function closeSoon(socket: Duplex, text = ""): void {
  socket.end(text);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Answers a request that is refused by its head alone, whoever sent it. */
export function refuse(fault: TransportFault, req: Incoming, res: Outgoing, cors: Cors): void {
  const answer = faultAnswer(fault);
  cors.mark(answer.headers, req.headers.origin);
  write(res, answer);
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
