import { createServer } from "node:http";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

/** A server that answers every request with the same redirect. */
export interface Redirector {
  readonly url: string;
  /** Requests that came. */
  received(): number;
  close(): Promise<void>;
}

/** `headers` are answered, too: a page in a browser may need those of CORS. */
export async function redirector(
  status: number,
  location: string,
  headers: Record<string, string> = {},
): Promise<Redirector> {
  let received = 0;
  const server = createServer((req, res) => {
    if (req.method === "OPTIONS") return void res.writeHead(204, headers).end();
    received += 1;
    res.writeHead(status, { ...headers, Location: location }).end("moved");
  });
  const port = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}`, received: () => received, close: () => closeAll(server) };
}
