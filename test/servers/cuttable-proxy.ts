import { connect, createServer, type Socket } from "node:net";

export interface CuttableProxy {
  readonly port: number;
  /** Breaks every connection and takes no new one: the network between one process and a server. */
  cut(): void;
  mend(): void;
  /** Breaks every connection; new ones lead to another port, as an address does after a failover. */
  redirect(port: number): void;
  stop(): Promise<void>;
}

/** Hands bytes on to a port of this machine. */
export async function startProxy(port: number): Promise<CuttableProxy> {
  let target = port;
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = connect(target, "127.0.0.1");
    client.pipe(upstream).pipe(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A TCP server has no port.");
  const breakAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: address.port,
    cut() {
      isCut = true;
      breakAll();
    },
    mend() {
      isCut = false;
    },
    redirect(other) {
      target = other;
      breakAll();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        breakAll();
      }),
  };
}
