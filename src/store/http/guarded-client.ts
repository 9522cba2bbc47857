import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import type { buildConnector, Client } from "undici";
import { isPublicAddress } from "../../domain/addresses/public-address.ts";
import { isAllowedHost } from "../../domain/addresses/tenant-url.ts";
import type { JwksOwner } from "../../domain/tokens/claims.ts";
import { checkJwksUrl } from "../../domain/tokens/oidc-urls.ts";

/** A connection to one host. */
export type GuardedClient = Client;

/** Connections to hosts of URLs that callers or operators configured. Errors are ordinary ones, for the log. */
export interface GuardedClients {
  /**
   * Opens a connection to the host of the URL for `work`, and destroys it with it. A tenant's URL is restricted to public
   * addresses and counts against that tenant's connections; the operator's URL is not restricted. Throws `FetchRefused` or
   * `FetchesExhausted` before it connects.
   */
  use<T>(url: string, owner: JwksOwner, work: (client: GuardedClient, url: URL) => Promise<T>): Promise<T>;
  /** Loads what connections need, for a process that will open some. Otherwise the first one does. */
  prepare(): Promise<void>;
  /** Destroys the connections that are open. */
  close(): Promise<void>;
}

export interface GuardedClientsOptions {
  /** Exact `host:port` list of hosts that may be private and may use http. */
  readonly allowedHosts: readonly string[];
  /** Longest time for a connection to open, with the look-up of the name. */
  readonly timeoutMs: number;
  /** Bytes read from a whole connection. Parts outside of the body, such as chunk extensions, have no other limit. */
  readonly readBytesMax: number;
  /** Resolves tenants' host names. Default: DNS. For tests. */
  readonly resolve?: ResolveAddresses | undefined;
}

export type ResolveAddresses = (hostname: string) => Promise<readonly string[]>;

/** Too many requests are under way. The host was not asked. */
export class FetchesExhausted extends Error {
  override readonly name = "FetchesExhausted";
}

/** The request is not allowed, or its answer cannot be used. The message is one of a few; the tenant may see it. */
export class FetchRefused extends Error {
  override readonly name = "FetchRefused";
}

/** One message for both: a tenant must not learn which private names exist. */
const NO_PUBLIC_ADDRESS = "the host has no address, or one that is not public";

const HEADER_BYTES_MAX = 16_384;
/**
 * Tenants' requests under way at once. The total keeps hung hosts from using up the process's sockets; the limit for one
 * tenant keeps its hung hosts from using up the total. Further requests fail. The operator's are not counted.
 */
const FETCHES_MAX = 512;
const FETCHES_PER_TENANT_MAX = 64;
/** Time limit for one attempt at a DNS server. There are two attempts. */
const DNS_TIMEOUT_MS = 1_000;

/**
 * Every request has a connection of its own that is destroyed with it: no connection to one tenant's host stays in a pool,
 * and no request waits for another. Unlike `fetch`, undici's bare client follows no redirect, uses no proxy and decompresses
 * no body (so a size limit also holds for a decompression bomb).
 */
export function createGuardedClients(options: GuardedClientsOptions): GuardedClients {
  const { allowedHosts, timeoutMs, readBytesMax, resolve = createDnsResolve() } = options;
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

  return {
    async use(text, owner, work) {
      const undici = await loadUndici();
      // Between the check and the entry in `live` nothing may wait.
      if (owner.kind === "tenant") requireFetchable(text, owner.tenantId);
      const url = new URL(text);
      const guarded = owner.kind === "tenant" && !isAllowedHost(url, allowedHosts);
      const lookup = guarded && { lookup: guardedLookup(resolve) };
      const client = new undici.Client(url.origin, {
        connect: bounded(undici.buildConnector({ timeout: timeoutMs, ...lookup }), readBytesMax),
        maxHeaderSize: HEADER_BYTES_MAX,
        pipelining: 0,
      });
      live.set(client, owner);
      try {
        return await work(client, url);
      } finally {
        live.delete(client);
        void client.destroy();
      }
    },
    async prepare() {
      await loadUndici();
    },
    async close() {
      await Promise.all([...live.keys()].map((client) => client.destroy()));
    },
  };
}

/** A quarter of the code of a start, only for key sets and webhooks. */
function loadUndici(): Promise<typeof import("undici")> {
  return import("undici");
}

/** Destroys a connection that exceeds `bytesMax`. */
function bounded(connect: buildConnector.connector, bytesMax: number): buildConnector.connector {
  return (target, callback) =>
    connect(target, (err, socket) => {
      if (err !== null) return callback(err, null);
      socket.on("readable", () => {
        if (socket.bytesRead <= bytesMax) return;
        socket.destroy(new FetchRefused(`more than ${bytesMax} bytes were sent`));
      });
      callback(null, socket);
    });
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
