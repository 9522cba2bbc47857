import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
  type ServerHttp2Session,
} from "node:http2";
import type { Socket } from "node:net";
import type { TransportFault } from "../answer/envelope.ts";
import { keepSessionSocket } from "../request/client-address.ts";
import { type ExchangeListener, isDisconnected, UNLIMITED } from "../request/exchange.ts";
import { announceStreams, STREAMS_ROOM } from "./announced-streams.ts";
import { guardFloods } from "./flood-guard.ts";
import { createFieldCounter, type FieldCounter } from "./header-fields.ts";
import type { HttpLimits } from "./http-limits.ts";
import { LINGER_MS, type Refusals } from "./refusals.ts";
import type { SlowReaderWatch } from "./slow-readers.ts";
import { TappedSocket } from "./tapped-socket.ts";

/** HTTP/2 over connections that another server accepted. */
export interface Http2 {
  accept(socket: Socket): void;
  /**
   * Asks every connected client to reconnect, and lets requests in progress end. Requests that cross the GOAWAY are not
   * accepted, and clients send them again: Node cannot send the early GOAWAY that RFC 9113, 6.8 recommends.
   */
  goAway(): void;
  /** As `goAway`; a client that sends its first bytes later may still send one request, as over HTTP/1.1. */
  goAwayForGood(): void;
  /** Closes all connections, with requests in progress. */
  destroy(): void;
}

const HEADER_OVERHEAD_BYTES = 32;
/**
 * The maximum head size that we announce to clients. Node resets a larger request without an answer, so we announce more
 * than we accept: as much as nghttp2 reads before it ends the connection.
 */
const HEADER_BYTES_ANNOUNCED = 65_536;

export function createHttp2(
  handler: ExchangeListener,
  { refusals, limits, slowReaders }: { refusals: Refusals; limits: HttpLimits; slowReaders: SlowReaderWatch },
): Http2 {
  const sockets = new Set<Socket>();
  const sessions = new Map<Http2Session, FieldCounter>();
  let isEnding = false;
  const server = createServer(
    {
      settings: {
        maxConcurrentStreams: STREAMS_ROOM * limits.streamsMax,
        maxHeaderListSize: HEADER_BYTES_ANNOUNCED,
        enablePush: false,
      },
      maxHeaderListPairs: limits.headerFieldsMax,
      maxSessionInvalidFrames: limits.faultsMax,
      maxSessionRejectedStreams: limits.faultsMax,
      streamResetBurst: limits.resetsBurst,
      streamResetRate: limits.resetsPerSecond,
    },
    serve,
  );

  function serve(req: Http2ServerRequest, res: Http2ServerResponse): void {
    // The request was cancelled in the same bytes that began it, so no answer can be sent.
    if (isDisconnected(req)) return;
    // Node limits the time of a complete request for HTTP/1.1 only.
    const timeout = setTimeout(() => req.stream.close(constants.NGHTTP2_CANCEL), limits.requestTimeoutMs);
    for (const event of ["end", "close", UNLIMITED]) req.once(event, () => clearTimeout(timeout));
    const fault = headFault(req);
    if (fault === undefined) handler(req, res);
    else refusals.refuse(fault, req, res);
  }

  function headFault({ rawHeaders, stream }: Http2ServerRequest): TransportFault | undefined {
    if (headBytes(rawHeaders) > limits.headerBytesMax) return "headers_too_large";
    const sent = stream.session && sessions.get(stream.session)?.take(stream.id ?? 0);
    return sent === rawHeaders.length / 2 ? undefined : "invalid_header_field";
  }

  function refuse(fault: TransportFault, req: Http2ServerRequest, res: Http2ServerResponse): void {
    if (!isDisconnected(req)) refusals.refuse(headFault(req) ?? fault, req, res);
  }

  function continueAndServe(req: Http2ServerRequest, res: Http2ServerResponse): void {
    // Node throws if the client has disconnected, which would end the process.
    if (!isDisconnected(req)) res.writeContinue();
    serve(req, res);
  }

  server.on("checkContinue", continueAndServe);
  // Node compares the value case-sensitively. It answers any other value, and a CONNECT, without a body.
  server.on("checkExpectation", (req, res) => {
    if (req.headers.expect?.toLowerCase() === "100-continue") continueAndServe(req, res);
    else refuse("expectation_failed", req, res);
  });
  server.on("connect", (req, res) => refuse("method_not_allowed", req, res));
  server.on("session", (session) => {
    closeWhenIdle(session, limits.keepAliveTimeoutMs);
    session.on("stream", () => {
      if (isEnding) session.close();
    });
  });

  function goAway(): void {
    for (const session of sessions.keys()) session.close();
  }

  return {
    accept(socket) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      // Node sends GOAWAY and then waits for the client to close, without a limit.
      socket.once("finish", () => setTimeout(() => socket.destroy(), LINGER_MS).unref());
      const fields = createFieldCounter();
      const connection = new TappedSocket(socket, fields.push);
      const begin = (session: ServerHttp2Session): void => {
        sessions.set(session, fields);
        keepSessionSocket(session, socket);
        const announce = announceStreams(limits.streamsMax);
        const watch = slowReaders.watchStreams(session, socket, guardFloods(session, limits));
        connection.onSent = (chunk) => {
          announce(chunk);
          watch(chunk);
        };
        limitHeadTime(session, fields, limits.headersTimeoutMs);
        session.once("close", () => sessions.delete(session));
      };
      // Node creates the session of this connection before `emit` returns.
      server.once("session", begin);
      server.emit("connection", connection);
      server.off("session", begin);
    },
    goAway,
    goAwayForGood() {
      isEnding = true;
      goAway();
    },
    destroy() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The size of a request's head as HTTP/2 defines it (RFC 9113, 6.5.2). */
function headBytes(rawHeaders: readonly string[]): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length + HEADER_OVERHEAD_BYTES / 2, 0);
}

/** Closes a connection without a request for `timeoutMs`, and one with requests whose client no longer answers a ping. */
function closeWhenIdle(session: ServerHttp2Session, timeoutMs: number): void {
  let underWay = 0;
  let isAsked = false;
  // The session's own timer starts again with every ping, so idle time needs another one.
  const whenIdle = () => setTimeout(() => closeOrDestroy(session), timeoutMs).unref();
  let idle = whenIdle();
  session.on("stream", (stream) => {
    underWay++;
    clearTimeout(idle);
    stream.once("close", () => {
      underWay--;
      if (underWay === 0 && !session.closed) idle = whenIdle();
    });
  });
  session.once("close", () => clearTimeout(idle));
  session.on("timeout", () => {
    if (underWay === 0) return;
    if (isAsked) {
      session.destroy();
      return;
    }
    isAsked = true;
    session.ping(() => {
      isAsked = false;
    });
    session.setTimeout(timeoutMs);
  });
  session.setTimeout(timeoutMs);
}

/** If the client has sent half a request head, nghttp2 would wait for the rest for ever, so a timer destroys the session. */
function closeOrDestroy(session: ServerHttp2Session): void {
  session.close();
  setTimeout(() => session.destroy(), LINGER_MS).unref();
}

/** Ends a connection whose client leaves a request head unfinished for `timeoutMs` to twice that time. */
function limitHeadTime(session: ServerHttp2Session, fields: FieldCounter, timeoutMs: number): void {
  let before: number | undefined;
  const check = setInterval(() => {
    const begun = fields.unfinished();
    if (begun !== undefined && begun === before) session.destroy();
    before = begun;
  }, timeoutMs).unref();
  session.once("close", () => clearInterval(check));
}
