import { createServer, type RequestListener, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { faultAnswer, type TransportFault } from "./envelope.ts";

/** Time for the whole request head, and for the whole request; a slower client is cut off. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Above the 60 s after which common load balancers drop an idle connection, so that they drop it first. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
const HEADER_BYTES_MAX = 16_384;
/** Time for requests under way when the process is told to stop. */
const DRAIN_TIMEOUT_MS = 15_000;
const DRAIN_SWEEP_MS = 100;

export interface HttpServer {
  /** Where it listens, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /**
   * Serves on for `noticeMs`, telling every client to come back on a new connection: time for a load balancer to see
   * that `/readyz` fails. Then takes no more connections, lets requests under way end, and after 15 s cuts them off.
   */
  close(noticeMs: number): Promise<void>;
}

/** Listens; rejects with a sentence that names the setting to change. */
export async function listen(handler: RequestListener, host: string, port: number): Promise<HttpServer> {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
      connectionsCheckingInterval: 2_000,
    },
    handler,
  );
  server.on("clientError", answerClientError);
  await bind(server, host, port);
  return { url: urlOf(server, host), close: (noticeMs) => drain(server, noticeMs) };
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (err: NodeJS.ErrnoException) => reject(bindError(err, host, port)));
    server.listen(port, host, resolve);
  });
}

function bindError(err: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (err.code) {
    case "EADDRINUSE":
      return new Error(`PORT: ${port} on ${host} is in use; stop the other process or set another PORT`, {
        cause: err,
      });
    case "EACCES":
      return new Error(`PORT: not permitted to listen on ${port}; set a PORT of 1024 or greater`, { cause: err });
    default:
      return new Error(`HOST: cannot listen on ${host}:${port} (${err.code ?? err.message})`, { cause: err });
  }
}

/** Answers what is no HTTP request at all; after it the connection cannot be trusted and is closed. */
function answerClientError(err: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || err.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const { status, body } = faultAnswer(clientFault(err.code));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${body.byteLength}\r\n` +
      `Connection: close\r\n\r\n${Buffer.from(body).toString()}`,
  );
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

function urlOf(server: Server, host: string): string {
  // A listening TCP server has an AddressInfo; a string would be a pipe's name, null a closed server.
  const { port } = server.address() as AddressInfo;
  const shown = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${shown}:${port}`;
}

async function drain(server: Server, noticeMs: number): Promise<void> {
  // Before the handler: it may answer at once. A client whose connection is just closed instead would lose a request.
  server.prependListener("request", (_req, res) => {
    res.shouldKeepAlive = false;
  });
  await sleep(noticeMs);
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
    // A connection that becomes idle after `close` would otherwise be kept for the keep-alive time.
    const sweep = setInterval(() => server.closeIdleConnections(), DRAIN_SWEEP_MS);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
  });
}
