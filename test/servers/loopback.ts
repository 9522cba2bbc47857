import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { Server } from "node:net";

/** Listens on the loopback, by default on any free port, and answers the port. */
export async function listenOnLoopback(server: Server, port = 0): Promise<number> {
  server.listen(port, "127.0.0.1");
  // Rejects where the server cannot listen.
  await once(server, "listening");
  return portOf(server);
}

/** The port that a server listens on. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server does not listen on TCP");
  return address.port;
}

/** Closes a server together with its connections. Closing twice is harmless. */
export function closeAll(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
