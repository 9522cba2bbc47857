import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import type { HttpLimits } from "../../src/transport/http/http-limits.ts";
import { type HttpServer, listen } from "../../src/transport/http/server.ts";
import type { ExchangeListener } from "../../src/transport/request/exchange.ts";
import { LIMITS, LISTEN_OPTIONS } from "./listen-options.ts";

const servers: HttpServer[] = [];
const clients: (Socket | ClientHttp2Session)[] = [];

/** Answers with the version and path, as soon as the body is there. */
export const echo: ExchangeListener = (req, res) => {
  req.resume();
  req.on("end", () => {
    res.writeHead(200, {});
    res.end(`${req.httpVersion} ${req.method} ${req.url}`);
  });
};

/** A server without an app around it. */
export async function start(handler = echo, limits: Partial<HttpLimits> = {}): Promise<HttpServer> {
  const server = await listen(handler, { ...LISTEN_OPTIONS, limits: { ...LIMITS, ...limits } });
  servers.push(server);
  return server;
}

/** Ends all that a test has started and connected. */
export async function stopServers(): Promise<void> {
  for (const client of clients.splice(0)) client.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
}

export function dial({ url }: Pick<HttpServer, "url">): Socket {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
    .setNoDelay(true)
    .on("error", () => {});
  clients.push(socket);
  return socket;
}

/** All that a connection answers until the server closes it. */
export async function received(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(socket, "end");
  return Buffer.concat(chunks).toString("latin1");
}

/** Over a connection of its own, or one that is open already. */
export function dialHttp2({ url }: Pick<HttpServer, "url">, open?: Socket): ClientHttp2Session {
  const session = connectHttp2(url, open && { createConnection: () => open }).on("error", () => {});
  clients.push(session);
  return session;
}

/** The text of an answer, or the code with which the stream was reset. */
export function ask(session: ClientHttp2Session, headers: Record<string, string> = {}): Promise<string | number> {
  return new Promise((resolve) => {
    const stream = session.request({ ":path": "/x", ...headers }).on("error", () => {});
    let text = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    stream.on("close", () => resolve(stream.rstCode === 0 ? text : (stream.rstCode ?? -1)));
    stream.end();
  });
}

/** The error code of the GOAWAY with which a session ends. */
export async function goAwayCode(session: ClientHttp2Session): Promise<number> {
  const [code] = await once(session, "goaway");
  return code;
}
