import type { Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Certificate } from "../../config/certificate.ts";
import type { ExchangeListener } from "../request/exchange.ts";
import { type ConnectionBound, countConnections } from "./connections-per-address.ts";
import type { HttpLimits } from "./http-limits.ts";
import { serveHttp1 } from "./http1.ts";
import { createHttp2 } from "./http2.ts";
import { watchIdle } from "./idle-connections.ts";
import { createServer } from "./node-http.ts";
import { createPipelining } from "./pipelining.ts";
import { type DetectedProtocol, detectProtocol } from "./protocol-detection.ts";
import type { Refusals } from "./refusals.ts";
import { watchSlowReaders } from "./slow-readers.ts";
import { TLS_OPTIONS } from "./tls.ts";
import { pauseAtOnce } from "./tls-pause.ts";

/** A server for HTTP/1.1 and HTTP/2 on one port, not yet listening. */
export interface Listener {
  readonly server: Server;
  /** Replaces the certificate for new connections. Undefined if the port does not use TLS. */
  readonly setCertificate: ((certificate: Certificate) => void) | undefined;
  /** Asks connected HTTP/2 clients to reconnect, and lets requests in progress end. */
  goAway(): void;
  /** As `goAway`; a client that sends its first HTTP/2 bytes later may still send one request. */
  goAwayForGood(): void;
  /** Closes connections that have sent nothing yet. */
  closeSilent(): void;
  /** Closes all connections, with requests in progress. */
  destroy(): void;
}

interface ListenerOptions {
  readonly certificate: Certificate | null;
  readonly refusals: Refusals;
  readonly limits: HttpLimits;
  readonly connections: ConnectionBound;
  readonly onError: (err: Error) => void;
  /** Whether connections have no address, as those of a Unix socket. */
  readonly isUnix?: boolean;
}

/** For the log: a client of TLS shows its user an error of TLS, and not the answer. */
const TLS_TO_CLEARTEXT = new Error(
  "a client sent TLS to a port without a certificate: call it with http://, or set TLS_CERT_FILE and TLS_KEY_FILE",
);

/** The error that Node reports for an HTTP/1.1 request whose head took too long. */
const REQUEST_TIMEOUT = Object.assign(new Error("request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });

/**
 * Node's HTTP/1.1 server listens, so that its time and size limits apply to HTTP/1.1. HTTP/2 connections are diverted from
 * it: with TLS by the protocol that ALPN selected, in cleartext by their first bytes.
 */
export function createListener(
  handler: ExchangeListener,
  { certificate, refusals, limits, connections, onError, isUnix = false }: ListenerOptions,
): Listener {
  const admits = countConnections(connections);
  const slowReaders = watchSlowReaders(limits.slowReaderTimeoutMs);
  const http2 = createHttp2(handler, { refusals, limits, slowReaders });
  const pipelining = createPipelining(limits.pipelinedMax);
  const idle = watchIdle(pipelining, limits);
  const silent = new Set<Socket>();
  const options = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.headerBytesMax,
    connectionsCheckingInterval: Math.min(2_000, limits.headersTimeoutMs),
    // `http1.ts` checks it and answers with a body.
    requireHostHeader: false,
  };
  const { server, setCertificate } =
    certificate === null ? { server: plainServer(), setCertificate: undefined } : secureServer(certificate);
  serveHttp1(server, handler, { refusals, limits, pipelining });
  server.once("close", slowReaders.stop).once("close", idle.stop);
  return {
    server,
    setCertificate,
    goAway: http2.goAway,
    goAwayForGood: http2.goAwayForGood,
    closeSilent() {
      for (const socket of silent) socket.destroy();
    },
    destroy() {
      server.closeAllConnections();
      http2.destroy();
    },
  };

  function detect(socket: Socket, report: (detected: DetectedProtocol) => void): void {
    silent.add(socket);
    detectProtocol(socket, limits.headersTimeoutMs, (detected) => {
      silent.delete(socket);
      report(detected);
    });
  }

  function plainServer(): Server {
    const plain = createServer(options);
    divert<Socket>(plain, "connection", isUnix, (socket, http1) => {
      if (!admits(socket)) return refusals.refuseConnection("too_many_connections", socket);
      slowReaders.watch(socket);
      detect(socket, (detected) => {
        switch (detected) {
          case "http1":
            idle.watch(socket);
            return http1(socket);
          case "tls":
            onError(TLS_TO_CLEARTEXT);
            return refusals.refuseConnection("needs_cleartext", socket);
          case "http2":
            return http2.accept(socket);
          case "too_slow":
            return refusals.refuseBytes(REQUEST_TIMEOUT, socket);
          case "gone":
            return void socket.destroy();
          default:
            return detected satisfies never;
        }
      });
    });
    return plain;
  }

  function secureServer(initial: Certificate) {
    const secure = createTlsServer({
      ...options,
      ...TLS_OPTIONS,
      cert: initial.cert,
      key: initial.key,
      ALPNProtocols: ["h2", "http/1.1"],
      handshakeTimeout: limits.headersTimeoutMs,
    });
    divert<Socket>(secure, "connection", isUnix, (socket, tls) => {
      // A text could not be read there, and a handshake costs more than it would say.
      if (!admits(socket)) return void socket.destroy();
      detect(socket, (detected) => {
        switch (detected) {
          case "tls":
            return tls(socket);
          case "http1":
          case "http2":
            return refusals.refuseConnection("needs_tls", socket);
          case "too_slow":
          case "gone":
            return void socket.destroy();
          default:
            return detected satisfies never;
        }
      });
    });
    divert<TLSSocket>(secure, "secureConnection", isUnix, (socket, http1) => {
      slowReaders.watch(socket);
      if (socket.alpnProtocol === "h2") return http2.accept(socket);
      idle.watch(socket);
      http1(socket);
      pauseAtOnce(socket);
    });
    // The TLS handshake failed, so that no HTTP answer can be sent.
    secure.removeAllListeners("tlsClientError");
    secure.on("tlsClientError", (_err, socket) => socket.destroy());
    return {
      server: secure,
      setCertificate: ({ cert, key }: Certificate) => secure.setSecureContext({ ...TLS_OPTIONS, cert, key }),
    };
  }
}

/** Calls `decide` for each new connection; `decide` calls `http1` for those that the HTTP/1.1 server shall handle. */
function divert<S extends Socket>(
  server: Server,
  event: "connection" | "secureConnection",
  isUnix: boolean,
  decide: (socket: S, http1: (socket: S) => void) => void,
): void {
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  server.on(event, (socket: S) => {
    // While no server handles the socket's errors, a connection reset would be an unhandled error and end the process.
    socket.on("error", () => {});
    // Read now, and kept by Node: after a reset it could not be read, and a client could call without leaving its address. If
    // it is absent now, the client has already reset the connection.
    if (!isUnix && socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    decide(socket, (own) => {
      for (const listener of listeners) listener.call(server, own);
    });
  });
}
