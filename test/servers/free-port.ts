import { once } from "node:events";
import { createServer } from "node:net";
import { listenOnLoopback } from "./loopback.ts";

/** A port of the loopback without a listener. Another process may take it before its user does. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnLoopback(server);
  server.close();
  await once(server, "close");
  return port;
}
