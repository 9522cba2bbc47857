import type { Subject } from "./invalidation.ts";
import type { History } from "./known-history.ts";
import type { PromisedChange } from "./promised-changes.ts";
import type { RecentEvent } from "./recent-events.ts";

/** A snapshot of PostgreSQL in its text form, `xmin:xmax:xip,…`. */
export type Snapshot = string;

/** A transaction id of PostgreSQL, 64 bits, as decimal text. */
export type TransactionId = string;

/** The list of replicas, the change log and the marks, in PostgreSQL. Every method may throw `StoreUnavailable`. */
export interface ReplicaTable {
  /** Adds a replica, durably. It has seen nothing yet. `isFresh`: it remembers no changes that this server may lack. */
  register(replicaId: string, isFresh?: boolean): Promise<void>;
  /** Which database this is: the same on each copy of its cluster. `system` null: the server does not show it. */
  readName(): Promise<{ readonly system: string | null; readonly database: string }>;
  /** Removes a replica that has given up its lease. */
  leave(replicaId: string): Promise<void>;
  /**
   * Reads in one snapshot what has changed since the last look. With `since` null: all that counts now. `newest`: the changes that the
   * server must have.
   */
  look(replicaId: string, since: Snapshot | null, newest?: readonly string[], last?: LastLook): Promise<Look>;
  /**
   * Records what the replica has applied. May be lost in a crash of the server. Another server than that of the look records
   * nothing: there, the snapshot would show transactions that the replica has not seen.
   */
  acknowledge(replicaId: string, seen: SeenOnServer): Promise<void>;
  /**
   * Does the same durably, and shows that the replica is alive, on whatever server. `mendedOn`: the server that lacks nothing that the
   * replica remembers; null: this one lacks something. Returns whether its row was there.
   */
  renew(replicaId: string, seen: SeenOnServer, mendedOn?: string | null): Promise<boolean>;
  /** Returns which of these changes and events the server lacks, and what server that is. */
  findMissing(changeIds: readonly string[], eventIds: readonly string[]): Promise<Missing>;
  readReplicas(): Promise<readonly ReplicaRow[]>;
  /** Removes a replica if it has not been renewed since `beats` was read. */
  removeReplica(replicaId: string, beats: number): Promise<void>;
  /** Marks a record as changing, durably. */
  insertMark(subject: Subject): Promise<Mark>;
  /** Removes the mark of a change that was not made. */
  deleteMark(markId: string): Promise<void>;
  /** Asks all replicas to store what they have counted of a key. */
  insertUsageQuestion(keyId: string): Promise<UsageQuestion>;
  deleteUsageQuestion(questionId: string): Promise<void>;
  /** Records that the replica has stored what was asked for up to this snapshot. */
  acknowledgeUsage(replicaId: string, counted: SeenOnServer): Promise<void>;
}

/** Where the last look was, and from when on recent events are read. Undefined: there was none, or they are not read. */
export interface LastLook {
  readonly server: string | undefined;
  readonly eventsFromMs: number | undefined;
}

export interface Missing {
  readonly server: string;
  readonly changeIds: ReadonlySet<string>;
  readonly eventIds: ReadonlySet<string>;
}

export interface Look {
  readonly snapshot: Snapshot;
  /** Identifies the server and its start. */
  readonly server: string;
  /** For how many ms the server has been known, by its own clock. */
  readonly serverKnownMs: number;
  readonly history: History;
  /** The server's time in ms. */
  readonly nowMs: number;
  /** Whether the replica is in the list. */
  readonly isListed: boolean;
  /** Whether the server lacks nothing that the other listed replicas remember. */
  readonly areOthersMended: boolean;
  /** Promised changes since the last look; on another server than the last one all recent ones. */
  readonly promised: readonly PromisedChange[];
  readonly events: readonly RecentEvent[];
  /** False if changes may be missing in `changed`: then no older record may be used. */
  readonly isAll: boolean;
  readonly changed: readonly Subject[];
  /** All marks, by their ids. */
  readonly marks: ReadonlyMap<string, Subject>;
  /** The ids of keys whose usage is asked for, by the ids of the questions. */
  readonly usageQuestions: ReadonlyMap<string, string>;
}

/** A snapshot means something only on its own server. */
export type SeenOnServer = Pick<Look, "snapshot" | "server">;

export interface ReplicaRow {
  readonly replicaId: string;
  /** From which the row was read. */
  readonly server: string;
  /** Counts the renewals. */
  readonly beats: number;
  /** The snapshot that the replica has applied. Null: nothing yet. */
  readonly seen: Snapshot | null;
  /** The questions for usage that it has answered. Null: none yet. */
  readonly counted: Snapshot | null;
}

export interface Mark {
  readonly markId: string;
  readonly transactionId: TransactionId;
}

export interface UsageQuestion {
  readonly questionId: string;
  readonly transactionId: TransactionId;
}

/** Whether a transaction that has committed is visible in the snapshot: `pg_visible_in_snapshot`. */
export function isVisible(transactionId: TransactionId, snapshot: Snapshot): boolean {
  const [xmin = "", xmax = "", underWay = ""] = snapshot.split(":");
  const id = BigInt(transactionId);
  if (id < BigInt(xmin)) return true;
  return id < BigInt(xmax) && !underWay.split(",").includes(transactionId);
}
