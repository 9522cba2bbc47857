import { connect, createServer, type Server, type Socket } from "node:net";
import { Transform } from "node:stream";

/** A TCP server of a test's own on a free loopback port. */
export interface TcpServer {
  readonly port: number;
  /** Closes its connections too. */
  stop(): Promise<void>;
}

/** Hands bytes on to a port of this machine, until it is to swallow those of the connections it has. */
export interface TcpProxy extends TcpServer {
  /** As when a host vanishes: nothing is answered any more, and nothing is closed. New connections work. */
  silenceOpenConnections(): void;
  /** The same in one direction: what the port sends is lost, and what is sent to it still arrives. */
  silenceAnswers(): void;
  /** From now on each piece of what the port sends takes so long, one after the other: a slow server. */
  delayAnswers(ms: number): void;
  /** New connections lead to another port: as an address does after a failover. */
  redirect(port: number): void;
}

export async function startProxy(port: number): Promise<TcpProxy> {
  let target = port;
  let delayMs = 0;
  const open = new Set<Socket>();
  const upstreams = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    upstreams.add(upstream);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      if (from === upstream) from.pipe(slowDown()).pipe(to);
      else from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
      open.add(from);
    }
  });
  const slowDown = () =>
    new Transform({
      transform(piece, _, pass) {
        if (delayMs === 0) pass(null, piece);
        else setTimeout(pass, delayMs, null, piece);
      },
    });
  return {
    ...(await listening(server, open)),
    delayAnswers(ms) {
      delayMs = ms;
    },
    silenceOpenConnections() {
      for (const socket of open) socket.unpipe().resume();
    },
    silenceAnswers() {
      for (const socket of upstreams) socket.unpipe().resume();
    },
    redirect(other) {
      target = other;
    },
  };
}

/** Takes connections, says at most one thing, and then nothing. */
export async function startSilentServer(greeting = ""): Promise<TcpServer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.resume().on("error", () => {}));
    if (greeting !== "") socket.write(greeting);
  });
  return listening(server, open);
}

async function listening(server: Server, open: ReadonlySet<Socket>): Promise<TcpServer> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A TCP server has no port.");
  return {
    port: address.port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
