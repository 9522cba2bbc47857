import type { IncomingMessage, ServerResponse } from "node:http";
import type { WebhookEvent } from "./webhook-events.ts";
import { type VerifyWebhookOptions, verifyWebhook, WebhookVerificationError } from "./webhooks.ts";

/** How a receiver verifies: the options of `verifyWebhook` that are not of one request. */
export type WebhookReceiverOptions = Pick<VerifyWebhookOptions, "secret" | "toleranceSeconds">;

/** Called with each event, once or more often. Its errors go to the framework: an answer of 500, after which Latchkey retries. */
export type OnWebhookEvent = (event: WebhookEvent) => void | Promise<void>;

/** For `node:http`, and a route or `app.use` of Express. */
export type NodeWebhookReceiver = (req: IncomingMessage, res: ServerResponse, next?: (err?: unknown) => void) => void;

/** Latchkey sends at most 64 KiB. */
const BODY_BYTES_MAX = 131_072;
const JSON_TYPE = { "Content-Type": "application/json" };

/** What to answer: 204, or 400 with the reason. */
interface Answer {
  readonly status: number;
  readonly message?: string;
}

/**
 * A handler for one route that verifies what is posted to it and calls `onEvent`: `(request) => Promise<Response>`, for Next.js
 * (`export const POST = receiveWebhooks(...)`), Hono (`(c) => receive(c.req.raw)`) and all else with `fetch`'s types.
 */
export function receiveWebhooks(
  options: WebhookReceiverOptions,
  onEvent: OnWebhookEvent,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { status, message } = await receive(options, onEvent, request.headers, () => readAll(request.body ?? []));
    if (message === undefined) return new Response(null, { status });
    return new Response(bodyOf(message), { status, headers: JSON_TYPE });
  };
}

/**
 * The same for Node and Express: `app.post("/webhooks", receiveWebhooksOnNode(...))`. It reads the raw body, so it has to stand before
 * `express.json()`; behind `express.raw()` it takes what that read.
 */
export function receiveWebhooksOnNode(options: WebhookReceiverOptions, onEvent: OnWebhookEvent): NodeWebhookReceiver {
  return (req, res, next) => {
    receive(options, onEvent, req.headers, () => rawBodyOf(req)).then(
      ({ status, message }) => {
        res.writeHead(status, message === undefined ? {} : JSON_TYPE);
        res.end(message === undefined ? undefined : bodyOf(message));
      },
      (err: unknown) => {
        if (next !== undefined) return next(err);
        // biome-ignore lint/suspicious/noConsole: without a framework no other code would see it.
        console.error(err);
        res.writeHead(500).end();
      },
    );
  };
}

async function receive(
  options: WebhookReceiverOptions,
  onEvent: OnWebhookEvent,
  headers: VerifyWebhookOptions["headers"],
  read: () => Promise<Uint8Array | undefined>,
): Promise<Answer> {
  const body = await read();
  if (body === undefined) return { status: 413, message: `body: is longer than ${BODY_BYTES_MAX} bytes` };
  let event: WebhookEvent;
  try {
    event = await verifyWebhook({ ...options, headers, body });
  } catch (err) {
    if (err instanceof WebhookVerificationError) return { status: 400, message: err.message };
    throw err;
  }
  await onEvent(event);
  return { status: 204 };
}

function rawBodyOf(req: IncomingMessage): Promise<Uint8Array | undefined> {
  const parsed: unknown = "body" in req ? req.body : undefined;
  if (parsed instanceof Uint8Array) return Promise.resolve(parsed);
  if (parsed !== undefined && req.readableEnded)
    throw new TypeError("the body was parsed before receiveWebhooksOnNode: put it before express.json()");
  // The rest of a long body must not end the connection before the answer is sent.
  return readAll(req.iterator({ destroyOnReturn: false }));
}

/** Undefined if it is too long. */
async function readAll(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function bodyOf(message: string): string {
  return JSON.stringify({ code: "invalid_argument", message });
}
