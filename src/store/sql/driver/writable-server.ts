import type { Socket } from "node:net";
import pg from "pg";

/**
 * How often all servers are asked although nothing failed. With the time of a probe far below the 6 s for which a new primary has its
 * first changes wait (ADR 22): by then this process has left an old primary that goes on beside it.
 */
const SEARCH_MS = 2_000;
/** How long a server may take to answer when all are asked for the one that takes writes. Covers the handshake. */
const PROBE_MS = 1_000;

/** The one of several servers that this process uses. */
export interface WritableServer {
  /** Its URL, for the next connection. */
  readonly url: string;
  /** Whether there is another one to look for. */
  readonly hasOthers: boolean;
  /** Call it when a connection failed or led to a server that takes no writes: finds the one that does. Never throws. */
  search(): Promise<void>;
  /** Breaks a connection that was opened to `url` as soon as another server is used. */
  track(socket: Socket): Socket;
  /** From now on the same servers have these URLs, with other credentials. */
  signInWith(urls: readonly string[]): void;
  /** Searches every 2 s until the function that it returns is called. */
  keepSearching(): () => void;
}

/**
 * Follows the primary among the servers that `DATABASE_URL` lists, without a proxy in between. After a failure, and every 2 s, all are
 * asked at once, and of those that take writes the one with the newest timeline is used: an old primary that came back is never chosen before the
 * server that replaced it, whatever the order of the list. A server that works is kept until a newer one takes writes, so nothing falls
 * back by itself. Connections to a server that was left are broken: an old primary would go on answering them.
 *
 * `connect` makes the options of a connection. With one URL there is nothing to search for.
 */
export function followWritable(
  listed: readonly string[],
  connect: (url: string) => pg.ClientConfig,
  probe: typeof probeServer = probeServer,
): WritableServer {
  let urls = listed;
  let chosen = 0;
  let timelineMin = 0;
  let searching: Promise<void> | undefined;
  const sockets = new Set<Socket>();

  async function findWritable(): Promise<void> {
    const timelines = await Promise.all(urls.map((url) => probe(connect(url))));
    const newest = Math.max(...timelines.map((timeline) => timeline ?? -1));
    // A primary with an older history than one that was seen lacks what was committed since.
    if (newest < timelineMin) return;
    timelineMin = newest;
    if (timelines[chosen] === newest) return;
    chosen = timelines.indexOf(newest);
    for (const socket of sockets)
      socket.destroy(Object.assign(new Error("The server was replaced by another one"), { code: "ECONNRESET" }));
  }

  function search(): Promise<void> {
    if (listed.length < 2) return Promise.resolve();
    searching ??= findWritable().finally(() => {
      searching = undefined;
    });
    return searching;
  }

  return {
    get url() {
      return urls[chosen] ?? "";
    },
    hasOthers: listed.length > 1,
    search,
    track(socket) {
      sockets.add(socket);
      return socket.once("close", () => sockets.delete(socket));
    },
    signInWith(latest) {
      urls = latest;
    },
    keepSearching() {
      const timer = listed.length < 2 ? undefined : setInterval(search, SEARCH_MS);
      return () => clearInterval(timer);
    },
  };
}

/** The server reports both when a session begins (PostgreSQL 14), so that no statement is needed. */
const READ_ONLY_STATUSES: ReadonlySet<string> = new Set(["in_hot_standby", "default_transaction_read_only"]);

/** Returns a function that says whether a connection, once it is open, leads to a server that takes no writes. */
export function watchReadOnly(client: pg.Client): () => boolean {
  let isReadOnly = false;
  // The driver has the connection, and its types do not.
  const { connection } = client as unknown as { readonly connection: NodeJS.EventEmitter };
  connection.on("parameterStatus", ({ parameterName, parameterValue }) => {
    if (READ_ONLY_STATUSES.has(parameterName)) isReadOnly ||= parameterValue === "on";
  });
  return () => isReadOnly;
}

const TIMELINE = `
  select ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int as timeline`;

/** Returns the timeline of a server that takes writes, 0 where it shows none, as Aurora does not. Undefined: it takes no writes. */
async function probeServer(options: pg.ClientConfig): Promise<number | undefined> {
  const client = new pg.Client({ ...options, connectionTimeoutMillis: PROBE_MS, query_timeout: PROBE_MS });
  client.on("error", () => {});
  const isReadOnly = watchReadOnly(client);
  try {
    await client.connect();
    if (isReadOnly()) return undefined;
    const { rows } = await client.query<{ timeline: number }>(TIMELINE).catch(() => ({ rows: [] }));
    return rows[0]?.timeline ?? 0;
  } catch {
    return undefined;
  } finally {
    client.end().catch(() => undefined);
  }
}
