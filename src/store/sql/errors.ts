import { codeOf } from "../../domain/error-code.ts";
import { StoreUnavailable } from "../../domain/store-unavailable.ts";

/**
 * Runs a store's work and turns "the database is not there" into `StoreUnavailable`, so that no caller needs to know a
 * driver. Everything else passes as it is: what a `decide` threw, and our own bugs (bad SQL, a broken constraint),
 * which must be logged as such and not be retried.
 */
export async function guard<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (err) {
    throw isOutage(err) ? new StoreUnavailable(err, retryAfterMsOf(err)) : err;
  }
}

/** Longest time that a call waits for a connection of the pool, free or new. */
export const CONNECT_TIMEOUT_MS = 3_000;
/** What pg-pool says to a call that waited for so long in its queue. */
const QUEUE_TIMEOUT = "timeout exceeded when trying to connect";

/** By then each call in the pool's queue has a connection or has given up. */
function retryAfterMsOf(err: unknown): number {
  return err instanceof Error && err.message === QUEUE_TIMEOUT ? CONNECT_TIMEOUT_MS : 0;
}

const unopened = new WeakSet<Error>();

/**
 * Marks what came instead of a session, which is an outage whatever its code: a server that takes no connections, or none of
 * ours, says so by codes that a statement of ours could cause, too. Its word for "fatal" is of its own language.
 */
export function markUnopened(err: Error): void {
  unopened.add(err);
}

function isOutage(err: unknown): boolean {
  if (!(err instanceof Error)) return false;
  if (unopened.has(err)) return true;
  const code = codeOf(err) ?? "";
  return (
    SQL_STATES.has(code) || SQL_CLASSES.has(code.slice(0, 2)) || SYSTEM_CODES.has(code) || MESSAGES.has(err.message)
  );
}

/**
 * Classes of SQLSTATE that speak of the server and not of the statement: connection, authentication (a password changed
 * under us), resources, operator intervention and statement timeout, system.
 */
const SQL_CLASSES: ReadonlySet<string> = new Set(["08", "28", "53", "57", "58"]);

const SQL_STATES: ReadonlySet<string> = new Set([
  "25006", // read-only: after a failover we are still talking to the standby
  "25P03", // idle in transaction for too long
  "25P04", // a transaction that took too long, where the operator set transaction_timeout
  "3D000", // the database is gone
  "40001", // serialization failure
  "40P01", // deadlock
  "55P03", // lock timeout
]);

/** What a host name, a connection or the lack of one can end in. Not among them: what only a mistake of ours can cause. */
const SYSTEM_CODES: ReadonlySet<string> = new Set([
  "EACCES", // unix socket, or a firewall
  "EADDRINUSE",
  "EADDRNOTAVAIL", // no local port is left
  "EAFNOSUPPORT", // its only address is of a kind that this machine has not
  "EAGAIN", // unix socket with a full queue
  "EAI_AGAIN",
  "EAI_FAIL",
  "EAI_MEMORY",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "EMFILE", // no descriptor is left to this process
  "ENETDOWN",
  "ENETUNREACH",
  "ENFILE", // nor to the machine
  "ENOBUFS",
  "ENOENT", // unix socket
  "ENOMEM",
  "ENONET",
  "ENOTCONN",
  "ENOTFOUND",
  "EPERM", // a firewall
  "EPIPE",
  "EPROTO", // TLS
  "ESHUTDOWN",
  "ETIMEDOUT",
]);

/** The drivers give these no code. Compared whole, so that no message of ours is taken for one. */
const MESSAGES: ReadonlySet<string> = new Set([
  // pg-pool
  QUEUE_TIMEOUT,
  "Connection terminated due to connection timeout",
  "Cannot use a pool after calling end on the pool",
  // pg
  "Connection terminated",
  "Connection terminated unexpectedly",
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
  "timeout expired",
  // kysely
  "driver has already been destroyed",
  "Postgres connection has been discarded",
  "PGlite instance is already closed.",
  // PGlite
  "PGlite is closed",
  "PGlite is closing",
]);
