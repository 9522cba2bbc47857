import type { CompiledQuery, Kysely } from "kysely";
import type { DatabaseOptions } from "../../../config/settings.ts";
import type { KnownHistory } from "../../replicas/known-history.ts";
import type { Schema } from "../schema.ts";
import type { Hint, Listener, ListenerEvents } from "./hints.ts";
import type { ListOwner } from "./list-turns.ts";
import type { OnStatement, PoolUsage } from "./pool-usage.ts";
import type { ServerSetup } from "./server-setup.ts";

/** An open database. The same queries run on both kinds. */
export interface SqlDatabase {
  readonly kind: DatabaseOptions["kind"];
  /** Do not use it within a transaction: PGlite has one connection, and would wait for itself for ever. */
  readonly db: Kysely<Schema>;
  /**
   * For what the service writes for itself, with `commitLocally`: the same connections as `db`. Those of `db` may all wait for a
   * standby, and leave `internal` and `prepared` some.
   */
  readonly internal: Kysely<Schema>;
  /**
   * Runs a list, which may be slow, on a small connection pool of its own, so that no look-up of a key queues behind it. Each
   * owner has one list at a time, and owners take turns. Throws `TooManyLists`. `work` must not run another list.
   */
  lists<T>(owner: ListOwner, work: (reader: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** For the list of replicas and for probes: a pool of its own, so that no look queues behind requests. */
  readonly control: Kysely<Schema>;
  /**
   * Runs a query as a named prepared statement where the driver has them: saves parsing and planning on the hot path.
   */
  prepared<Row extends object>(name: string, query: CompiledQuery<Row>): Promise<Row[]>;
  /** What this process knows of the history of its database. */
  readonly history: KnownHistory;
  /** Runs work on connections without time limits, except 2 s for each wait for a lock. For migrations only. */
  withoutTimeLimits<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** Sends a hint to the other processes on this database, in the background. Call it after the commit. */
  notify(hint: Hint): void;
  /** Receives the hints of other processes until it is closed. Close it before the database. */
  listen(events: ListenerEvents): Listener;
  /** The connections of each pool now. None in an embedded database. */
  poolUsage(): readonly PoolUsage[];
  /** Reports statements from now on. An embedded database reports none. */
  reportStatements(listener: OnStatement): void;
  /** Reports commits that waited for a standby until their callers gave up. An embedded database reports none. */
  reportAbandoned(listener: (commits: number) => void): void;
  /** From now on new connections sign in with the user and the password of this URL, which is that of the same database. */
  signInWith(url: string): void;
  /** Why the service cannot work through the pooler of `DATABASE_URL`, in a sentence. Undefined: it can, or has no pooler. */
  poolerProblem(): Promise<string | undefined>;
  /** Returns how the server is set up. Undefined: the database is embedded. Throws `StoreUnavailable`. */
  readSetup(): Promise<ServerSetup | undefined>;
  /** Throws `StoreUnavailable` if the database does not answer, or takes no writes. */
  ping(): Promise<void>;
  /** As `ping`, and throws what the server says, too, if its disk has no room for some 256 KiB more. Costs 2 ms. */
  checkDiskSpace(): Promise<void>;
  /** Waits for queries under way. Closing twice is harmless. */
  close(): Promise<void>;
}
