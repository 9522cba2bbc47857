import type { CompiledQuery, Kysely } from "kysely";
import type { DatabaseOptions } from "../../config/settings.ts";
import type { Hint, Listener, ListenerEvents } from "./hints.ts";
import type { Schema } from "./schema.ts";

/** An open database. The same queries run on both kinds. */
export interface SqlDatabase {
  readonly kind: DatabaseOptions["kind"];
  /** Within a transaction use the transaction, never this: PGlite has one connection and would wait for itself for ever. */
  readonly db: Kysely<Schema>;
  /** For lists, which may take long: a few connections apart, so that no key's look-up waits in line behind them. */
  readonly lists: Kysely<Schema>;
  /** Runs a query as a named prepared statement where the driver has them: saves parsing and planning on the hot path. */
  prepared<Row extends object>(name: string, query: CompiledQuery<Row>): Promise<Row[]>;
  /** Lends a connection that no time limit ends, but that waits 2 s at most for a lock. For migrations only. */
  withoutTimeLimits<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** Tells the other processes on this database, in the background; to be called after the commit. */
  notify(hint: Hint): void;
  /** Hears what other processes tell, until it is closed. To be closed before the database. */
  listen(events: ListenerEvents): Listener;
  /** Throws `StoreUnavailable` if the database does not answer, or takes no writes. */
  ping(): Promise<void>;
  /** As `ping`, and throws what the server says, too, if its disk has no room for some 256 KiB more. Costs 2 ms. */
  proveRoom(): Promise<void>;
  /** Waits for what is under way. Closing twice is harmless. */
  close(): Promise<void>;
}
