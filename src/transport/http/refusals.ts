import type { Duplex } from "node:stream";
import { newId } from "../../domain/vocabulary/ids.ts";
import type { Call } from "../../interceptors/call.ts";
import type { Gate } from "../../interceptors/gate/gate.ts";
import type { AccessLog, AnsweredRequest } from "../answer/answered.ts";
import type { Cors } from "../answer/cors.ts";
import { faultAnswer, type TransportFault } from "../answer/envelope.ts";
import { markAnswer } from "../answer/mark.ts";
import type { PlainAnswer } from "../answer/plain-answer.ts";
import { asProblem } from "../answer/problem.ts";
import { write } from "../answer/write.ts";
import type { ClientAddress } from "../request/client-address.ts";
import type { Incoming, Outgoing } from "../request/exchange.ts";
import { newCall } from "../request/incoming-call.ts";
import { STATUS_CODES } from "./node-http.ts";
import { type ParserError, parseFault } from "./parse-faults.ts";

/** Answers requests that no handler sees. Like every answer, these have a request id and a line in the log. */
export interface Refusals {
  /** Answers a request that is rejected because of its head, before its caller is authenticated. */
  refuse(fault: TransportFault, req: Incoming, res: Outgoing): void;
  /** Answers bytes that are not an HTTP request. The rest of the connection cannot be trusted, so it is closed. */
  refuseBytes(err: ParserError, socket: Duplex): void;
  /** Answers a request whose connection Node no longer manages (CONNECT), and closes the connection. */
  end(fault: TransportFault, req: Incoming, socket: Duplex): void;
  /** Answers a connection of which no request was read, and closes it. */
  refuseConnection(fault: TransportFault, socket: Duplex): void;
}

export interface RefusalsContext {
  readonly gate: Pick<Gate, "refuse" | "conclude">;
  readonly clientAddress: ClientAddress;
  readonly cors: Cors;
  readonly accessLog: AccessLog;
  /** Begins the address of the page about an error. Empty: it is on the same port. */
  readonly docsUrl: string;
}

/** Time for a client to read the last answer and close. Without a limit, it could hold the connection for ever. */
export const LINGER_MS = 1_000;

/** Faults of a head that may lack a field, perhaps the key. No limit is reported: it could be another caller's. */
const WITHOUT_LIMIT: ReadonlySet<TransportFault> = new Set(["headers_too_large", "invalid_header_field"]);
const NO_CREDENTIALS = { apiKey: [], authorization: [], onBehalfOf: [], dpop: [] };

export function createRefusals({ gate, clientAddress, cors, accessLog, docsUrl }: RefusalsContext): Refusals {
  /** Answers a request. If it carries a key, the answer reports the key's limit, as for an unknown path. */
  async function answer(fault: TransportFault, req: Incoming, send: (answer: PlainAnswer) => void): Promise<void> {
    const call: Call = newCall(req, clientAddress);
    try {
      if (call.credentials.apiKey.length > 0 && !WITHOUT_LIMIT.has(fault)) await gate.refuse(call);
      gate.conclude(call);
      send(logged(fault, call, req));
    } catch (err) {
      // An unhandled rejection would end the process.
      accessLog.unforeseen(err, call);
      req.destroy();
    }
  }

  /** Makes the answer and logs it. */
  function logged(fault: TransportFault, call: Call, req: AnsweredRequest, message?: string) {
    const complete = asProblem(faultAnswer(fault, message), req.headers?.accept, docsUrl);
    markAnswer(complete, call, cors, req.headers?.origin);
    try {
      accessLog.answered(req, complete, call, 0);
    } catch (err) {
      accessLog.unforeseen(err, call);
    }
    return complete;
  }

  function refuseConnection(fault: TransportFault, socket: Duplex, message?: string): void {
    const address = clientAddress.ofSocket(socket);
    const call = { requestId: newId("req"), credentials: NO_CREDENTIALS, address, origin: null, isFromBrowser: false };
    closeAfterLinger(socket, rawResponse(logged(fault, call, {}, message)));
  }

  return {
    refuse: (fault, req, res) => void answer(fault, req, (complete) => write(res, complete)),
    refuseBytes(err, socket) {
      if (cannotAnswer(err, socket)) {
        socket.destroy();
        return;
      }
      const { fault, message } = parseFault(err);
      refuseConnection(fault, socket, message);
    },
    end: (fault, req, socket) => void answer(fault, req, (complete) => closeAfterLinger(socket, rawResponse(complete))),
    refuseConnection,
  };
}

/** An answer as HTTP/1.1 text, with `Connection: close`. */
function rawResponse({ status, headers, body }: PlainAnswer): string {
  headers.set("content-length", String(Buffer.byteLength(body)));
  headers.set("connection", "close");
  const head = headers.list.map((text, n) => (n % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("");
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${Buffer.from(body).toString()}`;
}

/** Whether an answer can no longer be sent on the connection. */
export function cannotAnswer(err: NodeJS.ErrnoException, socket: Duplex): boolean {
  return !socket.writable || err.code === "ECONNRESET";
}

/** Sends `text`, ends the connection, and destroys it after `LINGER_MS` if the client does not close it. */
export function closeAfterLinger(socket: Duplex, text = ""): void {
  socket.end(text);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
