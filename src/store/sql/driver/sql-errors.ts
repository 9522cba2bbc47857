import { codeOf } from "../../../domain/vocabulary/error-code.ts";
import { StoreUnavailable } from "../../../domain/vocabulary/store-unavailable.ts";

/**
 * Runs a store's work and translates an outage of the database into `StoreUnavailable`, so that callers need not know
 * the drivers. All other errors are rethrown: those of `decide`, and our own bugs (bad SQL, a violated constraint),
 * which must be logged as bugs and not retried.
 */
export async function translateOutage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (err) {
    throw isOutage(err) ? new StoreUnavailable(err, retryAfterMsOf(err)) : err;
  }
}

/** Longest time that a call waits for a connection of the pool, free or new. */
export const CONNECT_TIMEOUT_MS = 3_000;
/** What pg-pool says to a call that waited for so long in its queue. */
export const QUEUE_TIMEOUT = "timeout exceeded when trying to connect";

/** By then each call in the pool's queue has a connection or has given up. */
function retryAfterMsOf(err: unknown): number {
  return err instanceof Error && err.message === QUEUE_TIMEOUT ? CONNECT_TIMEOUT_MS : 0;
}

const connectFailures = new WeakSet<Error>();

/**
 * Marks an error of connecting, which is an outage whatever its code is. A server that rejects connections, or only
 * ours, uses codes that a statement can cause, too. Its word for "fatal" depends on its language.
 */
export function markConnectFailure(err: Error): void {
  connectFailures.add(err);
}

function isOutage(err: unknown): boolean {
  if (!(err instanceof Error)) return false;
  if (connectFailures.has(err)) return true;
  const code = codeOf(err) ?? "";
  return (
    SQL_STATES.has(code) || SQL_CLASSES.has(code.slice(0, 2)) || SYSTEM_CODES.has(code) || MESSAGES.has(err.message)
  );
}

/**
 * Classes of SQLSTATE that concern the server and not the statement: connection, authentication (the password was
 * changed while we run), resources, operator intervention and statement timeout, system.
 */
const SQL_CLASSES: ReadonlySet<string> = new Set(["08", "28", "53", "57", "58"]);

const SQL_STATES: ReadonlySet<string> = new Set([
  "25006", // read-only: after a failover the connection still leads to the standby
  "25P03", // idle in transaction for too long
  "25P04", // a transaction that took too long, where the operator set transaction_timeout
  "3D000", // the database is gone
  "40001", // serialization failure
  "40P01", // deadlock
  "55P03", // lock timeout
]);

/** Errors of host names and connections, except those that only our own bug can cause. */
const SYSTEM_CODES: ReadonlySet<string> = new Set([
  "EACCES", // unix socket, or a firewall
  "EADDRINUSE",
  "EADDRNOTAVAIL", // no local port is left
  "EAFNOSUPPORT", // its only address is of a family that this machine does not have
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

/** Errors to which the drivers give no code. Compared as a whole, so that none of our messages matches. */
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
