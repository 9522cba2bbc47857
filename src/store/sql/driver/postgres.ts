import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import { Kysely, PostgresDialect, type PostgresPool, sql } from "kysely";
import pg from "pg";
import { hostUrls } from "../../../config/host-urls.ts";
import { codeOf } from "../../../domain/vocabulary/error-code.ts";
import { StoreUnavailable } from "../../../domain/vocabulary/store-unavailable.ts";
import { KnownHistory } from "../../replicas/known-history.ts";
import type { Schema } from "../schema.ts";
import { createAbandonedCommits } from "./abandoned-commits.ts";
import { boundPool } from "./bounded-pool.ts";
import type { SqlDatabase } from "./database.ts";
import { CHANNEL, createHintSender, startListener, toPayload } from "./hints.ts";
import { lacks, refuseStale } from "./history.ts";
import { createListTurns } from "./list-turns.ts";
import { type OnStatement, type PoolName, timeStatements, usageOf } from "./pool-usage.ts";
import { poolerProblem } from "./pooler.ts";
import { readServerSetup } from "./server-setup.ts";
import {
  adviceOn,
  areCommitsDurable,
  COMMITS_ON,
  plainReason,
  readSession,
  type Session,
  sessionOf,
  sessionProblem,
} from "./session.ts";
import { CONNECT_TIMEOUT_MS, markConnectFailure, translateOutage } from "./sql-errors.ts";
import { followWritable, type WritableServer, watchReadOnly } from "./writable-server.ts";

/**
 * A separate pool for lists: a far page of a million items takes most of a second, other queries a few milliseconds.
 */
const LISTS_POOL_SIZE = 2;
/** One connection for looks, one for changes that wait. Both for the probes of the database, which take a few milliseconds. */
const CONTROL_POOL_SIZE = 2;
/** Well below the 60 s for which the mark of a change keeps the key out of the cache. */
const STATEMENT_TIMEOUT_MS = 4_000;
/** Shorter than the statement timeout, so that the error distinguishes a lock from a slow statement. */
const LOCK_TIMEOUT_MS = 3_000;
/**
 * For one of our processes that was stopped. A running one keeps a transaction idle for 1 s at most, for a command to
 * Redis.
 */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** Shorter than `SILENCE_MS`, which would break an idle connection instead of closing it. */
const IDLE_CONNECTION_MS = 4_000;
/**
 * A connection of the pool that is silent for so long is dead: before that, the server would have ended the statement,
 * or we the idle connection. Without this limit, a frozen server or a vanished host blocks callers for the quarter of
 * an hour for which TCP retries; with it they get an answer within 5 s. Only a commit may take longer; then its outcome
 * is unknown.
 */
const SILENCE_MS = 4_500;
/**
 * A commit that has waited for a standby for so long is ended on the server. Below `SILENCE_MS`, so that the sweep after a connection
 * was given up always finds it.
 */
const ABANDONED_MS = 4_000;
/** Connections that commits never take: verification and the service's own writes go on while all others wait for a standby. */
const KEPT_FREE = 2;
/** Longer for the listener, where no caller waits, and the only regular traffic is a probe every 4 s. */
const LISTENER_SILENCE_MS = 12_000;
/** `int8`, which pg would return as a string. Our counters are exact to 2^53. */
const INT8_OID = 20;
const TIMESTAMPTZ_OID = 1184;

/**
 * A migration may take any time, even if the role has time limits. It waits only 2 s for a lock, because others queue
 * behind it.
 */
const MIGRATING = "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c lock_timeout=2s";

/** Opens a connection pool on a PostgreSQL server and checks that the server works. */
export async function openPostgres(listed: string, poolSize: number): Promise<SqlDatabase> {
  const server = followWritable(hostUrls(listed).map(parseable), connectionOptions);
  await server.search();
  const { url } = server;
  const history = new KnownHistory();
  let onStatement: OnStatement = () => {};
  let onAbandoned: (commits: number) => void = () => {};
  let endAbandoned = (): void => {};
  const limits: pg.PoolConfig = {
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    stream: () =>
      server.track(
        socketWithTimeout(SILENCE_MS, () => {
          endAbandoned();
          void server.search();
        }),
      ),
  };
  const timedPool = (name: PoolName, max: number, options: pg.PoolConfig = {}): pg.Pool => {
    const opened = openPool(server, { ...limits, ...options, max });
    opened.on("connect", (client) => timeStatements(client, (ms) => onStatement(name, ms)));
    return opened;
  };
  const { pool, replacedCommits } = await openDurable((options) => timedPool("requests", poolSize, options), url);
  const stopSearching = server.keepSearching();
  const changes = boundPool(pool, Math.max(1, poolSize - KEPT_FREE));
  const listsPool = timedPool("lists", LISTS_POOL_SIZE);
  const controlPool = timedPool("control", CONTROL_POOL_SIZE);
  const [db, internal, listsDb, control] = [changes, pool, listsPool, controlPool].map(kyselyOn) as Pools;
  const abandoned = createAbandonedCommits(control, {
    applicationName: sessionOf(url).application_name,
    olderThanMs: ABANDONED_MS,
    onEnded: (commits) => onAbandoned(commits),
  });
  endAbandoned = abandoned.end;
  const turns = createListTurns({ atOnce: LISTS_POOL_SIZE });
  const processId = randomUUID();
  const hintSender = createHintSender((payloads) =>
    sql`select pg_notify(${CHANNEL}, payload) from unnest(cast(${payloads} as text[])) as payload`.execute(control),
  );
  /** Changes wait for their places, and then in the pool as all others do. */
  const requestsUsage = () => {
    const usage = usageOf("requests", pool);
    return { ...usage, pending: usage.pending + changes.waiting };
  };
  /** Lists wait for their turns, and never in the pool. */
  const listsUsage = () => ({ ...usageOf("lists", listsPool), pending: turns.waiting() });
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    stopSearching();
    await Promise.all([hintSender.idle(), abandoned.close()]);
    await Promise.all([db, internal, listsDb, control].map((each) => each.destroy()));
    if (!pool.ending) await pool.end(); // Kysely ends it only if it ever ran a query
  };
  return {
    kind: "postgres",
    db,
    internal,
    history,
    lists: (owner, work) => turns.take(owner, () => work(listsDb)),
    control,
    prepared: async <Row extends object>(name: string, query: { sql: string; parameters: readonly unknown[] }) =>
      (await pool.query<Row>({ name, text: query.sql, values: [...query.parameters] })).rows,
    withoutTimeLimits: async (work) => {
      const unlimited = kyselyOn(openPool(server, { max: 2, ...sessionOf(url, MIGRATING) }));
      return work(unlimited).finally(() => unlimited.destroy());
    },
    notify: (hint) => hintSender.send(toPayload(processId, hint)),
    listen: (events) =>
      startListener(
        () =>
          new pg.Client({
            ...connectionOptions(server.url),
            stream: () => server.track(socketWithTimeout(LISTENER_SILENCE_MS)),
          }),
        processId,
        events,
      ),
    poolUsage: () => [requestsUsage(), listsUsage(), usageOf("control", controlPool)],
    reportStatements: (listener) => {
      onStatement = listener;
    },
    reportAbandoned: (listener) => {
      onAbandoned = listener;
    },
    signInWith(newUrl) {
      server.signInWith(hostUrls(newUrl).map(parseable));
    },
    poolerProblem: async () => {
      const problem = await poolerProblem(() => connectOne(url));
      return problem === undefined ? undefined : problemAt(url, problem);
    },
    readSetup: () =>
      translateOutage(() => readServerSetup(controlPool, { hosts: hostUrls(listed).length, replacedCommits })),
    // Not behind requests: a pool with a queue is not an outage, and a replica without probes gets no requests at all.
    ping: () => translateOutage(() => ping(control, history)),
    checkDiskSpace: () => translateOutage(() => checkDiskSpace(control, history)),
    close: () => (closing ??= closeAll()),
  };
}

/**
 * Fails on a server that lacks a change which was acknowledged, and on a read-only one, where keys could not be revoked. A standby is
 * read-only.
 */
async function ping(db: Kysely<Schema>, history: KnownHistory): Promise<void> {
  const { rows } = await sql<{ mode: string; is_stale: boolean }>`
    select current_setting('transaction_read_only') as mode, ${lacks(history.newest)} as is_stale`.execute(db);
  refuseStale(rows);
  if (rows[0]?.mode === "off") return;
  const problem = "The server of DATABASE_URL is read-only: a standby, or default_transaction_read_only is on.";
  throw new StoreUnavailable(new Error(problem));
}

/** What the operator allows a session in temporary files: it says nothing of the disk. */
const TEMP_FILE_LIMIT = "53400";

/**
 * Has the server write a temporary file beside the data, which it removes at once. An ordinary write would not do, since it
 * often finds room in a page or in the server's log that is there already, and would leave something behind.
 */
async function checkDiskSpace(db: Kysely<Schema>, history: KnownHistory): Promise<void> {
  const proof = db.transaction().execute(async (trx) => {
    await ping(trx, history);
    await sql`set local work_mem = '64kB'`.execute(trx);
    await sql`set local temp_tablespaces = ''`.execute(trx);
    await sql`select count(*) from unnest(array_fill(repeat('x', 8192), array[32]))`.execute(trx);
  });
  await proof.catch((err: unknown) => {
    if (codeOf(err) !== TEMP_FILE_LIMIT) throw err;
  });
}

type Pools = [db: Kysely<Schema>, internal: Kysely<Schema>, listsDb: Kysely<Schema>, control: Kysely<Schema>];

function kyselyOn(pool: PostgresPool): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

function connectionOptions(url: string): pg.ClientConfig {
  return {
    ...sessionOf(parseable(url)),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
}

/** A connection of no pool. The caller ends it. */
async function connectOne(url: string): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionOptions(url), stream: () => socketWithTimeout(SILENCE_MS) });
  client.on("error", ignoreBroken);
  await client.connect();
  return client;
}

function openPool(server: WritableServer, options: pg.PoolConfig): pg.Pool {
  class LatestClient extends PoolClient {
    constructor(config?: pg.ClientConfig) {
      super(server, { ...config, ...endpointOf(server.url) });
    }
  }
  const first = connectionOptions(server.url);
  const pool = new pg.Pool({ ...first, Client: LatestClient, types: { getTypeParser }, ...options });
  // A broken connection emits "error", which without a listener ends the process. The pool listens only to idle
  // connections.
  pool.on("error", ignoreBroken);
  pool.on("connect", (client) => void client.on("error", ignoreBroken));
  return pool;
}

function endpointOf(url: string): pg.ClientConfig {
  return { connectionString: sessionOf(url).connectionString };
}

type Connected = Parameters<pg.Client["connect"]>[0];

/** Marks errors of connecting: the pool throws them in the same way as errors of statements. Refuses a server that takes no writes. */
class PoolClient extends pg.Client {
  readonly #server: WritableServer;
  readonly #isReadOnly: () => boolean;

  constructor(server: WritableServer, config: pg.ClientConfig) {
    super(config);
    this.#server = server;
    this.#isReadOnly = server.hasOthers ? watchReadOnly(this) : () => false;
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    if (callback === undefined) return super.connect();
    // The pool connects with a callback. The driver's types have one signature for each outcome; at run time there is
    // one.
    const connected = callback as (err: Error | null, client?: pg.Client) => void;
    super.connect((err: Error | null, client?: pg.Client) => {
      const failure = err ?? (this.#isReadOnly() ? new Error("The server takes no writes.") : null);
      if (failure === null) return connected(null, client);
      void this.#server.search();
      markConnectFailure(failure);
      if (err === null) void this.end();
      connected(failure);
    });
    return undefined;
  }
}

/** Nothing to do: the pool drops the connection, and its user gets the error from the query. */
function ignoreBroken(): void {}

const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") => {
  if (oid === INT8_OID) return Number;
  const parse = pg.types.getTypeParser(oid, format ?? "text");
  return oid === TIMESTAMPTZ_OID ? (value: string) => instant(parse(value)) : parse;
};

/**
 * Rejects null: pg returns it for a date that it cannot parse, and we would read it as never revoked, never expired.
 */
function instant(parsed: unknown): Date {
  if (parsed instanceof Date && !Number.isNaN(parsed.getTime())) return parsed;
  throw new Error("The database returned an instant that cannot be parsed: check its datestyle.");
}

function socketWithTimeout(silenceMs: number, onSilence = () => {}): Socket {
  const socket = new Socket();
  socket.setTimeout(silenceMs);
  socket.on("timeout", () => {
    const { bytesRead } = socket;
    // If this process was stopped, the reply may have arrived; Node reads it right after the timers.
    setImmediate(() => {
      if (socket.bytesRead > bytesRead) return;
      socket.destroy(Object.assign(new Error("The database server stopped responding"), { code: "ETIMEDOUT" }));
      onSilence();
    });
  });
  return socket;
}

interface DurablePool {
  readonly pool: pg.Pool;
  /** The `synchronous_commit` that sessions had. Undefined: it was strong enough. */
  readonly replacedCommits: string | undefined;
}

/**
 * Opens a pool whose commits survive a crash, and checks that the server answers and that its settings are usable. Throws an error
 * that says what to do.
 */
async function openDurable(open: (options?: pg.PoolConfig) => pg.Pool, url: string): Promise<DurablePool> {
  const pool = open();
  const session = await readSession(pool).catch((err: unknown) => fail(pool, url, unopened(url, err)));
  if (areCommitsDurable(session)) return { pool: await checked(pool, url, session), replacedCommits: undefined };
  await pool.end();
  const durable = open(sessionOf(url, COMMITS_ON));
  return { pool: await checked(durable, url, await readSession(durable)), replacedCommits: session?.commits };
}

async function checked(pool: pg.Pool, url: string, session: Session | undefined): Promise<pg.Pool> {
  const problem = sessionProblem(session);
  return problem === undefined ? pool : fail(pool, url, problem);
}

async function fail(pool: pg.Pool, url: string, problem: string): Promise<never> {
  await pool.end();
  throw new Error(problemAt(url, problem));
}

function unopened(url: string, err: unknown): string {
  const { password } = new URL(url);
  return `cannot be opened: ${withoutPassword(plainReason(reasonOf(err)), password)}. ${adviceOn(err)}`;
}

function problemAt(url: string, problem: string): string {
  return `The database at ${withoutCredentials(url)} ${problem}.`;
}

/** Checks the URL before Node and pg do, because their errors contain the URL with the password. */
function parseable(url: string): string {
  const malformed = /%(?![0-9a-f]{2})/i.test(url);
  if (!malformed && URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)) return url;
  throw new Error("DATABASE_URL is not a URL of the form postgres://user:password@host:5432/database");
}

function withoutCredentials(url: string): string {
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username === "" ? "" : `${username}@`}${host}${pathname}`;
}

/** The driver's message in one line. A host with several addresses fails with one error for each, and no message. */
function reasonOf(err: unknown): string {
  if (err instanceof AggregateError && err.message === "") return err.errors.map(reasonOf).join("; ");
  return (err instanceof Error ? err.message : String(err)).replaceAll(/\s+/g, " ");
}

function withoutPassword(text: string, password: string): string {
  if (password === "") return text;
  return text.replaceAll(password, "***").replaceAll(decodeURIComponent(password), "***");
}
