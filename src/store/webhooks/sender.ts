import type { Clock } from "../../domain/vocabulary/clock.ts";
import {
  EVENT_BYTES_MAX,
  type WebhookAnswer,
  type WebhookRequest,
  type WebhookSender,
} from "../../domain/webhooks/sender.ts";
import { signatureHeaders } from "../../domain/webhooks/signature.ts";
import {
  createGuardedClients,
  FetchesExhausted,
  FetchRefused,
  type GuardedClient,
  type ResolveAddresses,
} from "../http/guarded-client.ts";

export interface WebhookSenderOptions {
  /** The clock of `webhook-timestamp`. */
  readonly clock: Clock;
  /** Exact `host:port` list of hosts that may be private and may use http. */
  readonly allowedHosts: readonly string[];
  /** Longest time for an attempt. Default 10,000. For tests. */
  readonly timeoutMs?: number;
  /** Resolves host names. Default: DNS. For tests. */
  readonly resolve?: ResolveAddresses;
}

export interface ClosableSender extends WebhookSender {
  /** Ends the attempts under way. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 10_000;
/** Bytes that are read of the answer's body; the rest is cut off. */
const ANSWER_BYTES_MAX = 4_096;
/** Bytes that are kept of it. */
const KEPT_BYTES_MAX = 1_024;
const UNREADABLE = "the secret of this webhook cannot be read now; if that stays so, rotate it";
/** Headers have up to 16 KiB, and a chunk of the body may exceed what is read of it. */
const READ_BYTES_MAX = 131_072;

/** Sends webhooks with the guard of key sets: to public addresses, without redirects, each over a connection of its own. */
export function createWebhookSender(options: WebhookSenderOptions): ClosableSender {
  const { clock, timeoutMs = TIMEOUT_MS } = options;
  const clients = createGuardedClients({ ...options, timeoutMs, readBytesMax: READ_BYTES_MAX });

  async function attempt({ tenantId, url, ...message }: WebhookRequest): Promise<Omit<WebhookAnswer, "durationMs">> {
    if (Buffer.byteLength(message.body) > EVENT_BYTES_MAX) {
      return unanswered(`the event has more than ${EVENT_BYTES_MAX} bytes and is not sent`);
    }
    if (message.secrets.length === 0) return unanswered(UNREADABLE);
    const headers = signatureHeaders(message.eventId, clock(), message.body, message.secrets);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return await clients.use(url, { kind: "tenant", tenantId }, (client, parsed) =>
        post(client, parsed, headers, message.body, signal),
      );
    } catch (err) {
      return unanswered(problemOf(err, timeoutMs));
    }
  }

  return {
    async send(message) {
      const startedMs = performance.now();
      const answer = await attempt(message);
      return { ...answer, durationMs: Math.round(performance.now() - startedMs) };
    },
    close: clients.close,
  };
}

async function post(
  client: GuardedClient,
  url: URL,
  signed: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<Omit<WebhookAnswer, "durationMs">> {
  const response = await client.request({
    method: "POST",
    path: url.pathname + url.search,
    headers: { ...signed, "content-type": "application/json", "user-agent": "latchkey-webhooks" },
    body,
    signal,
  });
  const answer = await firstText(response.body);
  return { status: response.statusCode, answer, error: null };
}

/** The status has come in time and counts, even where the body breaks off or is not all read. */
async function firstText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= ANSWER_BYTES_MAX) break;
    }
  } catch {
    // The bytes before are kept.
  }
  const kept = Buffer.concat(chunks).subarray(0, KEPT_BYTES_MAX);
  // The database stores no NUL.
  return new TextDecoder().decode(kept).replaceAll("\0", "\u{FFFD}");
}

function unanswered(error: string): Omit<WebhookAnswer, "durationMs"> {
  return { status: null, answer: null, error };
}

/** One of a few sentences, without an address. */
function problemOf(err: unknown, timeoutMs: number): string {
  if (err instanceof FetchRefused) return err.message;
  if (err instanceof FetchesExhausted) return "too many requests of this tenant's webhooks are under way";
  const name = err instanceof Error ? err.name : "";
  if (name === "TimeoutError" || name === "ConnectTimeoutError") return `no answer came within ${timeoutMs / 1_000} s`;
  return "the connection is refused or breaks off";
}
