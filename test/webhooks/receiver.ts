import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { onTestFinished } from "vitest";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

/** A request that a receiver got. */
export interface Received {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  /** For the list of hosts that may be private. */
  readonly host: string;
  readonly received: Received[];
  /** How it answers; at first with 204. */
  respond: (req: IncomingMessage, res: ServerResponse, received: Received) => void;
  close(): Promise<void>;
}

/** An endpoint for webhooks on the loopback, closed after the test. */
export async function startReceiver(): Promise<Receiver> {
  const receiver = await openReceiver();
  onTestFinished(receiver.close);
  return receiver;
}

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of req) chunks.push(chunk as Uint8Array);
    const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]));
    const one = { id: headers["webhook-id"] ?? "", headers, body: Buffer.concat(chunks).toString() };
    received.push(one);
    receiver.respond(req, res, one);
  });
  const port = await listenOnLoopback(server);
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hooks`,
    host: `127.0.0.1:${port}`,
    received,
    respond: (_req, res) => void res.writeHead(204).end(),
    close: () => closeAll(server),
  };
  return receiver;
}

/** Throws unless the reference library takes the signature for one of this secret. Returns the event. */
export function verified(secret: string, { body, headers }: Received): unknown {
  return new Webhook(secret).verify(body, { ...headers });
}
