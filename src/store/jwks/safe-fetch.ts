import { isUtf8 } from "node:buffer";
import type { JwksOwner } from "../../domain/tokens/claims.ts";
import {
  createGuardedClients,
  FetchRefused,
  type GuardedClient,
  type GuardedClients,
  type GuardedClientsOptions,
} from "../http/guarded-client.ts";

/** Fetches documents from URLs that callers or operators configured. Errors are ordinary ones, for the log. */
export interface SafeFetch extends Pick<GuardedClients, "prepare" | "close"> {
  /**
   * Returns the body of a 200 response. A tenant's URL is restricted to public addresses and counts against that tenant's
   * fetches; the operator's URL has only size and time limits. Throws `FetchRefused`, a connection error, or
   * `FetchesExhausted` before it sends anything.
   */
  fetchText(url: string, owner: JwksOwner): Promise<string>;
}

export interface SafeFetchOptions extends Pick<GuardedClientsOptions, "allowedHosts" | "resolve"> {
  /** Longest time for a whole fetch, from resolving the name to the last byte. Default 5,000. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS_DEFAULT = 5_000;
const BODY_BYTES_MAX = 524_288;
const READ_BYTES_MAX = 1_048_576;

export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const { timeoutMs = TIMEOUT_MS_DEFAULT } = options;
  const clients = createGuardedClients({ ...options, timeoutMs, readBytesMax: READ_BYTES_MAX });
  return {
    fetchText: (text, owner) =>
      clients.use(text, owner, (client, url) => readText(client, url, AbortSignal.timeout(timeoutMs))),
    prepare: clients.prepare,
    close: clients.close,
  };
}

async function readText(client: GuardedClient, url: URL, signal: AbortSignal): Promise<string> {
  const { statusCode, body } = await client.request({
    method: "GET",
    path: url.pathname + url.search,
    headers: {
      accept: "application/json, application/jwk-set+json",
      "accept-encoding": "identity",
      "user-agent": "latchkey",
    },
    signal,
  });
  if (statusCode >= 300 && statusCode < 400) {
    throw new FetchRefused(`the answer is a redirect (${statusCode}), which is not followed`);
  }
  if (statusCode !== 200) throw new FetchRefused(`the answer has the status ${statusCode}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new FetchRefused(`the answer has more than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  const bytesRead = Buffer.concat(chunks);
  if (!isUtf8(bytesRead)) throw new FetchRefused("the answer is not UTF-8");
  return new TextDecoder().decode(bytesRead);
}
