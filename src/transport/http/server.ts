import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Certificate, readCertificate, readRenewal } from "../../config/certificate.ts";
import type { CertificateFiles } from "../../config/settings.ts";
import type { ExchangeListener } from "../request/exchange.ts";
import type { ConnectionBound } from "./connections-per-address.ts";
import { drain } from "./drain.ts";
import { HTTP_LIMITS, type HttpLimits } from "./http-limits.ts";
import { createListener } from "./listener.ts";
import type { Refusals } from "./refusals.ts";
import { listenOnSocket } from "./unix-socket.ts";

export interface HttpServer {
  /** The URL of the server, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The address that it is bound to, such as `0.0.0.0:8080`. */
  readonly address: string;
  /** The certificate that new connections get. Null in cleartext. */
  certificate(): Certificate | null;
  /**
   * Reads the certificate's files again, for new connections. If they are unusable or not valid at `now`, throws
   * `CertificateFault` and keeps the old certificate.
   */
  reloadCertificate(now: Date): void;
  /**
   * Continues to serve for `noticeMs` and asks every client to reconnect, so that a load balancer has time to see that
   * `/readyz` fails. Then accepts no more connections, lets requests in progress end, and closes what remains after 15 s.
   */
  close(noticeMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** The path of a Unix socket, in place of host and port. */
  readonly socketPath?: string;
  /** The variable that errors name. Default `PORT`. */
  readonly variable?: "PORT" | "ADMIN_PORT";
  /** Null: cleartext. */
  readonly tls: CertificateFiles | null;
  /** Answers bytes that could not be parsed as a request. */
  readonly refusals: Refusals;
  readonly limits?: HttpLimits;
  /** Default: any number. */
  readonly connections?: ConnectionBound;
  /** Called when a connection could not be accepted. Later ones may still be. */
  readonly onError: (err: Error) => void;
}

const UNBOUNDED: ConnectionBound = { max: 0, exempt: [], onRefused: () => {} };

/**
 * Connections that the system keeps until they are accepted; it lowers this to its own maximum (`net.core.somaxconn`). Of a client
 * that comes when they are too many it drops the first request, and the client sends it again after up to some seconds.
 */
const BACKLOG = 4_096;

/** Starts to listen. Rejects with a message that names the setting to change. */
export async function listen(handler: ExchangeListener, options: ListenOptions): Promise<HttpServer> {
  const { socketPath, tls, refusals, limits = HTTP_LIMITS, connections = UNBOUNDED } = options;
  let certificate = tls && readCertificate(tls);
  const listener = createListener(handler, {
    certificate,
    refusals,
    limits,
    connections,
    onError: options.onError,
    isUnix: socketPath !== undefined,
  });
  const place =
    socketPath === undefined
      ? await onPort(listener.server, options)
      : await onSocket(listener.server, socketPath, options);
  return {
    ...place,
    certificate: () => certificate,
    reloadCertificate(now) {
      if (tls === null) return;
      const next = readRenewal(tls, now);
      listener.setCertificate?.(next);
      certificate = next;
    },
    close: (noticeMs) => drain(listener, sleep(noticeMs), limits.lastRequestMs),
  };
}

async function onPort(server: Server, options: ListenOptions): Promise<Pick<HttpServer, "url" | "address">> {
  await serveOn(server, options);
  const { address, port } = boundTo(server);
  return {
    url: urlOf(options.host, port, options.tls === null ? "http" : "https"),
    address: `${inBrackets(address)}:${port}`,
  };
}

async function onSocket(
  server: Server,
  path: string,
  { onError }: Pick<ListenOptions, "onError">,
): Promise<Pick<HttpServer, "url" | "address">> {
  await listenOnSocket(server, { path, backlog: BACKLOG });
  server.on("error", onError);
  return { url: `unix:${path}`, address: path };
}

/** Starts to listen. Later errors concern a single connection and go to `onError`. */
export function serveOn(
  server: Server,
  { host, port, variable = "PORT", onError }: Pick<ListenOptions, "host" | "port" | "variable" | "onError">,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (err: NodeJS.ErrnoException): void => reject(bindError(err, host, port, variable));
    server.once("error", refuse);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off("error", refuse);
      server.on("error", onError);
      resolve();
    });
  });
}

function bindError(err: NodeJS.ErrnoException, host: string, port: number, variable: string): Error {
  switch (err.code) {
    case "EADDRINUSE":
      return new Error(`${variable}: ${port} on ${host} is in use; stop the other process or set another ${variable}`, {
        cause: err,
      });
    case "EACCES":
      return new Error(`${variable}: not permitted to listen on ${port}; set one of 1024 or greater`, { cause: err });
    default:
      return new Error(
        `HOST: cannot listen on ${host}:${port} (${err.code ?? err.message}); set HOST to an address of this machine, such as 127.0.0.1, or to 0.0.0.0 for all it has`,
        { cause: err },
      );
  }
}

/** The address on which a server listens. Throws if it does not listen, or not on TCP. */
export function boundTo(server: Server): AddressInfo {
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the server does not listen on TCP");
  return bound;
}

function urlOf(host: string, port: number, scheme: "http" | "https"): string {
  const shown = host === "0.0.0.0" || host === "::" ? "localhost" : inBrackets(host);
  return `${scheme}://${shown}:${port}`;
}

/** The form of an IPv6 address before a port; other hosts unchanged. */
function inBrackets(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
