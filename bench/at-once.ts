import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { wire } from "./requests.ts";
import type { Probe } from "./server.ts";

/** How the clients of a burst are connected: to connections of their own, old or new, or to a few with a hundred streams each. */
export type Connected = "kept" | "new" | "HTTP/2";

/** What became of requests that were sent together. */
export interface Burst {
  /** Answers by status; 0 is none. */
  readonly statuses: Readonly<Record<number, number>>;
  /** From the first request until the last answer. */
  readonly lastMs: number;
}

/** Clients of one server. */
export interface Clients {
  send(requests: readonly Probe[]): Promise<Burst>;
  close(): void;
}

const STREAMS = 100;
/** `HTTP/1.1 200`: three digits at a fixed place. */
const STATUS_AT = [9, 12] as const;

export async function openClients(port: number, connected: Connected, count: number): Promise<Clients> {
  switch (connected) {
    case "HTTP/2":
      return streams(port, Math.ceil(count / STREAMS));
    case "kept": {
      const sockets = await Promise.all(Array.from({ length: count }, () => opened(port)));
      return {
        send: (requests) => timed(requests.map((request, n) => answerTo(sockets[n], request))),
        close: () => {
          for (const socket of sockets) socket.destroy();
        },
      };
    }
    case "new":
      return {
        send: (requests) =>
          timed(
            requests.map(async (request) => {
              const socket = await opened(port);
              return answerTo(socket, request).finally(() => socket.destroy());
            }),
          ),
        close: () => {},
      };
  }
}

async function opened(port: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await once(socket, "connect");
  return socket;
}

async function answerTo(socket: Socket | undefined, request: Probe): Promise<number> {
  if (socket === undefined) throw new Error("there are more requests than connections");
  socket.write(wire(request), "latin1");
  const [bytes] = await once(socket, "data");
  return Number(String(bytes).slice(...STATUS_AT));
}

async function streams(port: number, count: number): Promise<Clients> {
  const sessions = Array.from({ length: count }, () => connectHttp2(`http://127.0.0.1:${port}`));
  await Promise.all(sessions.map((session) => once(session, "remoteSettings")));
  return {
    send: (requests) =>
      timed(requests.map((request, n) => answerOn(sessions[n % count] as ClientHttp2Session, request))),
    close: () => {
      for (const session of sessions) session.destroy();
    },
  };
}

function answerOn(session: ClientHttp2Session, { method, path, headers, body }: Probe): Promise<number> {
  return new Promise((resolve) => {
    const stream = session.request({ ":method": method, ":path": path, ...headers });
    let status = 0;
    stream.on("response", (answered) => {
      status = Number(answered[":status"]);
    });
    stream.on("error", () => {});
    stream.on("close", () => resolve(stream.rstCode === 0 ? status : 0));
    stream.resume().end(body ?? undefined);
  });
}

async function timed(answers: readonly Promise<number>[]): Promise<Burst> {
  const startedAt = performance.now();
  const statuses: Record<number, number> = {};
  for (const status of await Promise.all(answers)) statuses[status] = (statuses[status] ?? 0) + 1;
  return { statuses, lastMs: performance.now() - startedAt };
}
