import { setTimeout as sleep } from "node:timers/promises";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import type { Committed, Invalidation, PendingChange } from "./invalidation.ts";
import { KnownHistory } from "./known-history.ts";
import { type Clocks, OWN_CLOCKS } from "./lease.ts";
import type { Replica } from "./replica.ts";
import type { ReplicaTable } from "./replica-table.ts";
import type { Roster } from "./roster.ts";
import { MARK_LIFE_MS, TIMES, type Times } from "./times.ts";

export interface LeaseInvalidationOptions {
  readonly table: Pick<ReplicaTable, "insertMark" | "deleteMark">;
  readonly roster: Pick<Roster, "haveSeen">;
  readonly replica: Pick<Replica, "wake" | "server">;
  /** Default: one of its own. */
  readonly history?: KnownHistory;
  /** Has all other replicas look soon, in the background. */
  readonly wakeOthers: () => void;
  /** Takes how long a change waited in all, and for what. */
  readonly onWaited?: (wait: ChangeWait) => void;
  readonly times?: Times;
  readonly clocks?: Pick<Clocks, "monotonicMs">;
}

/**
 * What a change waited for:
 *
 * - `replicas`: the other replicas, which had all seen it within `SILENT_MS`. There may have been none.
 * - `silent_replicas`: some that did not look in time: they died, hang, or do not reach PostgreSQL.
 * - `new_server`: PostgreSQL was started or replaced a moment ago, so any replica may still use an older lease.
 * - `late_commit`: the change itself took so long that its mark may have ended.
 */
export const WAITED_FOR = ["replicas", "silent_replicas", "new_server", "late_commit"] as const;

export type WaitedFor = (typeof WAITED_FOR)[number];

export interface ChangeWait {
  readonly ms: number;
  readonly waitedFor: WaitedFor;
  /** The replicas that had not seen it when the list was read last; empty if none was read before all had. */
  readonly behind: readonly string[];
}

/** A replica that works looks at least every 150 ms. */
const SILENT_MS = 1_000;

/**
 * A mark that was this old at the commit may have ended before it, as if this process was stopped several times within the
 * transaction. Replicas that have seen it may then have cached the old record again. Half its life, because the server
 * counts by its own clock.
 */
const MARK_AGE_MAX_MS = MARK_LIFE_MS / 2;

/** Makes a change of a record bind on all replicas before it is acknowledged: steps 7 and 9 of ADR 22. */
export function createLeaseInvalidation(options: LeaseInvalidationOptions): Invalidation {
  const { table, roster, replica, wakeOthers, onWaited } = options;
  const { times = TIMES, clocks = OWN_CLOCKS, history = new KnownHistory() } = options;

  function wakeAll(): void {
    replica.wake();
    wakeOthers();
  }

  /** Returns why it waits for the bound, or undefined if it waits for the listed replicas. */
  async function awaitAll(
    committed: Committed,
    begunMs: number,
    committedMs: number,
    onBehind: (replicaIds: readonly string[]) => void,
  ): Promise<WaitedFor | undefined> {
    const { server } = committed;
    const boundMs = committedMs + times.bound;
    const known = replica.server;
    // Replicas that this server does not list may still use leases that another server, or it before a restart, gave them.
    const isNew = known?.id !== server || committedMs - known.sinceMs < times.bound;
    const isMarkOld = committedMs - begunMs >= MARK_AGE_MAX_MS;
    if (isNew || isMarkOld) {
      await sleep(boundMs - clocks.monotonicMs());
    } else if (await roster.haveSeen(committed, boundMs, "seen", onBehind)) return undefined;
    await proveServer(server, boundMs);
    if (isNew) return "new_server";
    return isMarkOld ? "late_commit" : "silent_replicas";
  }

  /**
   * Throws unless the server of the commit is still the one that replicas follow, after the bound. If it was replaced before, others may
   * already use one that lacks the change: they looked within the bound, so they assume that they have seen all that was answered.
   */
  async function proveServer(server: string, boundMs: number): Promise<void> {
    replica.wake();
    const isLate = () => (replica.server?.lookedMs ?? 0) < boundMs;
    while (isLate() && clocks.monotonicMs() < boundMs + SILENT_MS) await sleep(times.wait);
    if (isLate() || replica.server?.id !== server)
      throw new StoreUnavailable(new Error("The server of DATABASE_URL was replaced before the change was answered."));
  }

  return {
    async beginChange(subject) {
      const begunMs = clocks.monotonicMs();
      const mark = await table.insertMark(subject);
      wakeAll();
      const markedMs = clocks.monotonicMs();
      let behind: readonly string[] = [];
      const onBehind = (replicaIds: readonly string[]): void => {
        behind = replicaIds;
      };
      await roster.haveSeen(mark, markedMs + times.mark, "seen", onBehind);
      const seenMs = clocks.monotonicMs();
      return {
        markId: mark.markId,
        newest: history.newestToChange,
        async end(committed) {
          history.made(committed.changeId);
          const committedMs = clocks.monotonicMs();
          wakeAll();
          // The change and not only its mark: those that survive this process must be able to make it again (ADR 63).
          const bound = await awaitAll(committed, begunMs, committedMs, onBehind);
          const ms = seenMs - markedMs + clocks.monotonicMs() - committedMs;
          const listed = ms >= SILENT_MS && behind.length > 0 ? "silent_replicas" : "replicas";
          onWaited?.({ ms, waitedFor: bound ?? listed, behind });
        },
        async abandon() {
          await table.deleteMark(mark.markId).catch(ignoreOutage);
          wakeAll();
        },
      } satisfies PendingChange;
    },
  };
}

/** The mark that stays makes replicas read the record from PostgreSQL until it is too old to count. */
function ignoreOutage(err: unknown): void {
  if (!(err instanceof StoreUnavailable)) throw err;
}
