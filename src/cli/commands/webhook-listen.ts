import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Command } from "commander";
import { verifyWebhook, WebhookVerificationError } from "../../../clients/typescript/src/server/webhooks.ts";
import { addCommand, type Invocation, type Surroundings } from "../command.ts";
import { UsageError } from "../exit-status.ts";
import { readSecret } from "../input/secret-source.ts";
import { wholeNumber } from "../input/whole-number.ts";
import { groupOf } from "./groups.ts";

interface ListenOptions {
  readonly port?: number;
  readonly secretFile?: string;
}

const SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;
const PORT_DEFAULT = 8_484;
/** The service sends at most 64 KiB. */
const BODY_BYTES_MAX = 65_536;

/** `latchkey webhooks listen`: an endpoint on this machine, to see what is sent. */
export function addListen(program: Command, around: Surroundings): void {
  const listens = "receive events on this machine, verify and print them, until it is interrupted";
  addCommand<ListenOptions>(groupOf(program, ["webhooks"]), "listen", listens, around, listen)
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
  if (!SECRET.test(secret)) throw new UsageError(`${from} is not a webhook's secret: whsec_ and Base64`);
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
  const id = String(req.headers["webhook-id"] ?? "");
  try {
    const body = await bodyOf(req);
    await verifyWebhook({ body, headers: req.headers, secret });
    const event: unknown = JSON.parse(body);
    run.show({ webhook_id: id, event }, `${id}\n${JSON.stringify(event, null, 2)}`);
    res.writeHead(204).end();
  } catch (err) {
    if (!(err instanceof WebhookVerificationError)) throw err;
    run.note(`Rejected ${req.method} ${req.url} ${id}: ${err.message}`);
    res.writeHead(400).end();
  }
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  if (req.method !== "POST") throw new WebhookVerificationError("body_malformed", "body", "it is not a POST");
  return textOf(req).catch(() => {
    throw new WebhookVerificationError("body_malformed", "body", "it is cut off, or too long");
  });
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
