import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Command } from "commander";
import { addCommand, type Invocation, type Surroundings } from "../command.ts";
import { UsageError } from "../exit-status.ts";
import { readSecret } from "../input/secret-source.ts";
import { isWebhookSecret, isWebhookSignature } from "../input/webhook-signature.ts";
import { wholeNumber } from "../input/whole-number.ts";

interface ListenOptions {
  readonly port?: number;
  readonly secretFile?: string;
}

const PORT_DEFAULT = 8_484;
/** The service sends at most 64 KiB. */
const BODY_BYTES_MAX = 65_536;

/** `latchkey webhooks listen`: an endpoint on this machine, to see what is sent. */
export function addListen(webhooks: Command, around: Surroundings): void {
  const listens = "receive events on this machine, verify and print them, until it is interrupted";
  addCommand<ListenOptions>(webhooks, "listen", listens, around, listen)
    .option("--port <number>", `port on 127.0.0.1 (default: ${PORT_DEFAULT}; 0: any)`, wholeNumber(0, 65_535))
    .option("--secret-file <path>", "file with the webhook's secret, `-` for stdin (default: LATCHKEY_WEBHOOK_SECRET)");
}

async function listen(run: Invocation<ListenOptions>): Promise<void> {
  const source = { file: run.options.secretFile, option: "--secret-file", variables: ["LATCHKEY_WEBHOOK_SECRET"] };
  const found = readSecret(run.env, source);
  if (found === undefined) {
    throw new UsageError(
      "set LATCHKEY_WEBHOOK_SECRET to the webhook's secret, or name a file that has it with --secret-file",
    );
  }
  const { secret, from } = found;
  if (!isWebhookSecret(secret)) throw new UsageError(`${from} is not a webhook's secret: whsec_ and Base64`);
  const server = createServer((req, res) => void receive(run, secret, req, res));
  server.listen(run.options.port ?? PORT_DEFAULT, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  run.note(`Listening on http://127.0.0.1:${port}/`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  server.closeAllConnections();
  server.close();
}

async function receive(
  run: Invocation<ListenOptions>,
  secret: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const body = await textOf(req).catch(() => undefined);
  const id = String(req.headers["webhook-id"] ?? "");
  const problem = body === undefined ? "the body is cut off, or too long" : problemOf(secret, req, body);
  if (body === undefined || problem !== undefined) {
    run.note(`Rejected ${req.method} ${req.url} ${id}: ${problem}`);
    res.writeHead(400).end();
    return;
  }
  run.show({ webhook_id: id, event: JSON.parse(body) }, `${id}\n${JSON.stringify(JSON.parse(body), null, 2)}`);
  res.writeHead(204).end();
}

function problemOf(secret: string, req: IncomingMessage, body: string): string | undefined {
  if (req.method !== "POST") return "it is not a POST";
  const { headers } = req;
  const signed = {
    id: String(headers["webhook-id"] ?? ""),
    timestamp: String(headers["webhook-timestamp"] ?? ""),
    signatures: String(headers["webhook-signature"] ?? ""),
  };
  if (!isWebhookSignature(secret, signed, body, new Date())) return "the signature is not of this secret, or too old";
  try {
    JSON.parse(body);
    return undefined;
  } catch {
    return "the body is not JSON";
  }
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error("too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
