import { isUtf8 } from "node:buffer";
import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import type { buildConnector, Client } from "undici";
import { isPublicAddress } from "../../domain/addresses/public-address.ts";
import type { JwksOwner } from "../../domain/tokens/claims.ts";
import { checkJwksUrl, isAllowedHost } from "../../domain/tokens/oidc-urls.ts";

/** Fetches documents from URLs that callers or operators configured. Errors are ordinary ones, for the log. */
export interface SafeFetch {
  /**
   * Returns the body of a 200 response. A tenant's URL is restricted to public addresses and counts against that tenant's
   * fetches; the operator's URL has only size and time limits. Throws `FetchRefused`, a connection error, or
   * `FetchesExhausted` before it sends anything.
   */
  fetchText(url: string, owner: JwksOwner): Promise<string>;
  /** Loads what fetches need, for a process that will make some. Otherwise the first fetch does. */
  prepare(): Promise<void>;
  close(): Promise<void>;
}

export interface SafeFetchOptions {
  /** Exact `host:port` list of hosts that may be private and may use http. */
  readonly allowedHosts: readonly string[];
  /** Longest time for a whole fetch, from resolving the name to the last byte. Default 5,000. */
  readonly timeoutMs?: number;
  /** Resolves tenants' host names. Default: DNS. For tests. */
  readonly resolve?: ResolveAddresses;
}

export type ResolveAddresses = (hostname: string) => Promise<readonly string[]>;

/** Too many fetches are under way. The provider was not asked. */
export class FetchesExhausted extends Error {
  override readonly name = "FetchesExhausted";
}

/** The fetch is not allowed, or its answer cannot be used. The message is one of a few; the tenant may see it. */
export class FetchRefused extends Error {
  override readonly name = "FetchRefused";
}

/** One message for both: a tenant must not learn which private names exist. */
const NO_PUBLIC_ADDRESS = "the host has no address, or one that is not public";

const TIMEOUT_MS_DEFAULT = 5_000;
const BODY_BYTES_MAX = 524_288;
const HEADER_BYTES_MAX = 16_384;
/** Bytes of a whole connection. Parts outside of the body, such as chunk extensions, have no other limit. */
const READ_BYTES_MAX = 1_048_576;
/**
 * Tenants' fetches under way at once. The total keeps hung hosts from using up the process's sockets; the limit for one
 * tenant keeps its hung hosts from using up the total. Further fetches fail. The operator's are not counted.
 */
const FETCHES_MAX = 512;
const FETCHES_PER_TENANT_MAX = 64;
/** Time limit for one attempt at a DNS server. There are two attempts. */
const DNS_TIMEOUT_MS = 1_000;

/**
 * Every fetch has a connection of its own that is destroyed with it: no connection to one tenant's host stays in a pool,
 * and no fetch waits for another. Unlike `fetch`, undici's bare client follows no redirect, uses no proxy and decompresses
 * no body (so the size limit also holds for a decompression bomb).
 */
export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const { allowedHosts, timeoutMs = TIMEOUT_MS_DEFAULT, resolve = createDnsResolve() } = options;
  const live = new Map<Client, JwksOwner>();

  function requireRoom(tenantId: string): void {
    const tenants = [...live.values()].flatMap((owner) => (owner.kind === "tenant" ? owner.tenantId : []));
    if (tenants.length >= FETCHES_MAX) throw new FetchesExhausted(`${FETCHES_MAX} fetches are under way`);
    if (tenants.filter((other) => other === tenantId).length >= FETCHES_PER_TENANT_MAX) {
      throw new FetchesExhausted(`${FETCHES_PER_TENANT_MAX} fetches of one tenant are under way`);
    }
  }

  /** Throws if a tenant's URL must not be fetched, or not now. */
  function requireFetchable(text: string, tenantId: string): void {
    requireRoom(tenantId);
    // Also checked at creation, but the row may be older than the current rules or the allow list.
    const problem = checkJwksUrl(text, allowedHosts);
    if (problem !== undefined) throw new FetchRefused(`the URL ${problem}`);
  }

  async function fetchText(text: string, owner: JwksOwner): Promise<string> {
    const undici = await loadUndici();
    // Between the check and the entry in `live` nothing may wait.
    if (owner.kind === "tenant") requireFetchable(text, owner.tenantId);
    const url = new URL(text);
    const guarded = owner.kind === "tenant" && !isAllowedHost(url, allowedHosts);
    const lookup = guarded && { lookup: guardedLookup(resolve) };
    const client = new undici.Client(url.origin, {
      connect: bounded(undici.buildConnector({ timeout: timeoutMs, ...lookup })),
      maxHeaderSize: HEADER_BYTES_MAX,
      pipelining: 0,
    });
    live.set(client, owner);
    try {
      return await readText(client, url, AbortSignal.timeout(timeoutMs));
    } finally {
      live.delete(client);
      void client.destroy();
    }
  }

  return {
    fetchText,
    async prepare() {
      await loadUndici();
    },
    async close() {
      await Promise.all([...live.keys()].map((client) => client.destroy()));
    },
  };
}

/** A quarter of the code of a start, for key sets alone. */
function loadUndici(): Promise<typeof import("undici")> {
  return import("undici");
}

/** Destroys a connection that exceeds `READ_BYTES_MAX`. */
function bounded(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(target, (err, socket) => {
      if (err !== null) return callback(err, null);
      socket.on("readable", () => {
        if (socket.bytesRead <= READ_BYTES_MAX) return;
        socket.destroy(new FetchRefused(`more than ${READ_BYTES_MAX} bytes were sent`));
      });
      callback(null, socket);
    });
}

async function readText(client: Client, url: URL, signal: AbortSignal): Promise<string> {
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

/**
 * Checks every address of a name and connects to exactly these: a second resolution could return another address (DNS
 * rebinding). One private address refuses the whole name. IP literals never get here: `checkJwksUrl` checks those.
 */
function guardedLookup(resolve: ResolveAddresses): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (ips) => {
        const [first] = ips;
        if (first === undefined || !ips.every(isPublicAddress)) {
          callback(new FetchRefused(NO_PUBLIC_ADDRESS), "");
        } else if (options.all) {
          callback(
            null,
            ips.map((address) => ({ address, family: isIP(address) })),
          );
        } else {
          callback(null, first, isIP(first));
        }
      },
      (err: Error) => callback(err, ""),
    );
  };
}

/**
 * Queries DNS directly. `dns.lookup` would block one of a few threads for as long as a tenant's name server delays its
 * answer, and would apply /etc/hosts and search domains, which could map a tenant's name to one of our hosts.
 */
function createDnsResolve(): ResolveAddresses {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const ips = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (ips.length === 0) throw new FetchRefused(NO_PUBLIC_ADDRESS, { cause: answers });
    return ips;
  };
}
