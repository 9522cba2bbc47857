import { lookup as dnsLookup, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent, type Dispatcher, request } from "undici";
import { checkJwksUrl, isAllowed } from "../../domain/keys/oidc-urls.ts";
import { isPublicAddress } from "../../domain/policy/public-address.ts";

/** Fetches a JSON document from a URL that a stranger chose. */
export interface SafeFetch {
  /** `tenant` URLs only from public addresses or allow-listed hosts; `operator` URLs as they are. Rejects on any fault. */
  fetchJson(url: string, trust: "tenant" | "operator"): Promise<unknown>;
  close(): Promise<void>;
}

export interface SafeFetchOptions {
  /** `host:port`, exact: hosts of tenants that may be plain http or private. */
  readonly jwksAllowedHosts: readonly string[];
  /** Time for everything: name, connection, head and the last byte. Default 5,000 ms. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 5_000;
const BODY_BYTES_MAX = 524_288;
const CONNECTIONS_PER_HOST = 4;

export function createSafeFetch({ jwksAllowedHosts, timeoutMs = TIMEOUT_MS }: SafeFetchOptions): SafeFetch {
  const guarded = createAgent(timeoutMs, guardedLookup);
  const open = createAgent(timeoutMs, undefined);

  function dispatcherFor(url: string, trust: "tenant" | "operator"): Dispatcher {
    if (trust === "operator" || isAllowed(new URL(url), jwksAllowedHosts)) return open;
    // Also refuses IP literals, for which no lookup is ever made.
    const problem = checkJwksUrl(url, jwksAllowedHosts);
    if (problem !== undefined) throw new Error(`the URL ${problem}`);
    return guarded;
  }

  return {
    async fetchJson(url, trust) {
      // undici's request follows no redirect and decompresses nothing: neither a detour nor a bomb.
      const { statusCode, headers, body } = await request(url, {
        dispatcher: dispatcherFor(url, trust),
        headers: { accept: "application/json", "accept-encoding": "identity" },
        signal: AbortSignal.timeout(timeoutMs),
      });
      try {
        if (statusCode !== 200) throw new Error(`status ${statusCode}`);
        if ((headers["content-encoding"] ?? "identity") !== "identity") throw new Error("the body is compressed");
        return JSON.parse(await readBounded(body));
      } finally {
        body.destroy();
      }
    },
    async close() {
      await Promise.all([guarded.destroy(), open.destroy()]);
    },
  };
}

function createAgent(timeoutMs: number, lookup: LookupFunction | undefined): Agent {
  return new Agent({
    connections: CONNECTIONS_PER_HOST,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: timeoutMs, ...(lookup && { lookup }) },
  });
}

/**
 * Resolves a name and refuses it if any of its addresses is not public. The socket uses the very addresses approved
 * here, so there is no second resolution that could answer otherwise.
 */
const guardedLookup: LookupFunction = (hostname, options, callback) => {
  dnsLookup(hostname, { ...options, all: true }, (err, addresses) => {
    if (err !== null) return callback(err, "");
    const [first] = addresses;
    if (first === undefined || !addresses.every(isPublic)) return callback(new Error("the address is not public"), "");
    return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
  });
};

function isPublic({ address }: LookupAddress): boolean {
  return isPublicAddress(address);
}

async function readBounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > BODY_BYTES_MAX) throw new Error(`the body exceeds ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
