import { setTimeout as sleep } from "node:timers/promises";
import { type Clocks, OWN_CLOCKS } from "./lease.ts";
import { isVisible, type ReplicaRow, type ReplicaTable, type TransactionId } from "./replica-table.ts";
import { TIMES, type Times } from "./times.ts";

/** The other replicas as this process sees them. */
export interface Roster {
  /**
   * Waits until every listed replica has seen the transaction, or has answered its question. Reads the list after the call,
   * so that it has every replica that was registered before. False: `untilMs` of the monotonic clock came first.
   * `onBehind` gets, at each reading, the replicas that have not.
   */
  haveSeen(transaction: Transaction, untilMs: number, what?: Progress, onBehind?: OnBehind): Promise<boolean>;
  /** Reads the list, and removes replicas that died. May throw `StoreUnavailable`. */
  removeDead(): Promise<void>;
}

export interface Transaction {
  readonly transactionId: TransactionId;
  /** Of the commit: the list of another server shows nothing about it. Default: whichever has the list. */
  readonly server?: string;
}

/** A column of the list. */
export type Progress = "seen" | "counted";

/** Receives the ids of replicas, never none. */
type OnBehind = (replicaIds: readonly string[]) => void;

interface Waiter {
  readonly what: Progress;
  readonly onBehind: OnBehind | undefined;
  readonly transaction: Transaction;
  readonly untilMs: number;
  readonly resolve: (haveSeen: boolean) => void;
}

interface Count {
  readonly replicaId: string;
  readonly beats: number;
  readonly sinceMs: number;
}

export interface RosterOptions {
  readonly table: Pick<ReplicaTable, "readReplicas" | "removeReplica">;
  readonly times?: Times;
  readonly clocks?: Pick<Clocks, "monotonicMs">;
}

/** Between readings that fail. */
const RETRY_MS = 50;

/** One reading of the list serves all changes that wait. */
export function createRoster({ table, times = TIMES, clocks = OWN_CLOCKS }: RosterOptions): Roster {
  /** For each replica, on each server, its last count, and when this process first saw that. */
  let counted = new Map<string, Count>();
  let waiters: Waiter[] = [];
  let isWaiting = false;
  let pause = new AbortController();

  async function read(): Promise<readonly ReplicaRow[]> {
    const rows = await table.readReplicas();
    const nowMs = clocks.monotonicMs();
    const before = counted;
    counted = new Map();
    for (const { server, replicaId, beats } of rows) {
      const place = `${server} ${replicaId}`;
      const known = before.get(place);
      counted.set(place, known?.beats === beats ? known : { replicaId, beats, sinceMs: nowMs });
    }
    return rows;
  }

  async function removeDead(): Promise<void> {
    await read();
    const nowMs = clocks.monotonicMs();
    for (const { replicaId, beats, sinceMs } of counted.values()) {
      if (nowMs - sinceMs >= times.bound) await table.removeReplica(replicaId, beats);
    }
  }

  async function serve(): Promise<void> {
    isWaiting = true;
    while (waiters.length > 0) {
      // Those that come during the reading wait for the next one.
      const served = waiters;
      waiters = [];
      const rows = await read().catch(() => undefined);
      const nowMs = clocks.monotonicMs();
      for (const waiter of served) {
        const { what, transaction, untilMs, resolve, onBehind } = waiter;
        const behind = rows?.filter((row) => !hasReached(row, what, transaction));
        if (behind !== undefined && behind.length > 0) onBehind?.(behind.map(({ replicaId }) => replicaId));
        if (behind?.length === 0) resolve(true);
        else if (nowMs >= untilMs) resolve(false);
        else waiters.push(waiter);
      }
      if (waiters.length === 0) break;
      pause = new AbortController();
      await sleep(rows === undefined ? RETRY_MS : times.wait, undefined, { signal: pause.signal }).catch(
        () => undefined,
      );
    }
    isWaiting = false;
  }

  return {
    haveSeen: (transaction, untilMs, what = "seen", onBehind) =>
      new Promise((resolve) => {
        waiters.push({ what, transaction, untilMs, resolve, onBehind });
        if (isWaiting) pause.abort();
        else void serve();
      }),
    removeDead,
  };
}

function hasReached(row: ReplicaRow, what: Progress, { transactionId, server = row.server }: Transaction): boolean {
  const snapshot = row[what];
  return snapshot !== null && server === row.server && isVisible(transactionId, snapshot);
}
