import { setTimeout as sleep } from "node:timers/promises";
import { StoreUnavailable } from "../../domain/store-unavailable.ts";
import type { Invalidation, PendingChange } from "../invalidation.ts";
import { type Clocks, OWN_CLOCKS } from "./lease.ts";
import type { Replica } from "./replica.ts";
import type { Mark, ReplicaTable } from "./replica-table.ts";
import type { Roster } from "./roster.ts";
import { MARK_LIFE_MS, TIMES, type Times } from "./times.ts";

export interface LeaseInvalidationOptions {
  readonly table: Pick<ReplicaTable, "insertMark" | "deleteMark">;
  readonly roster: Pick<Roster, "haveSeen">;
  readonly replica: Pick<Replica, "wake" | "server" | "hasOlderVersion">;
  /** Has all other replicas look soon, in the background. */
  readonly wakeOthers: () => void;
  /** Invalidates what replicas of the previous version use. */
  readonly previousVersion?: Pick<Invalidation, "beginChange"> | undefined;
  /** Takes how long a change waited in all, in ms. */
  readonly onWaited?: (ms: number) => void;
  readonly times?: Times;
  readonly clocks?: Pick<Clocks, "monotonicMs">;
}

/**
 * A mark that was this old at the commit may have ended before it, as if this process was stopped several times within the
 * transaction. Replicas that have seen it may then have cached the old record again. Half its life, because the server
 * counts by its own clock.
 */
const MARK_AGE_MAX_MS = MARK_LIFE_MS / 2;

/** Makes a change of a record bind on all replicas before it is acknowledged: steps 7 and 9 of ADR 22. */
export function createLeaseInvalidation(options: LeaseInvalidationOptions): Invalidation {
  const { table, roster, replica, wakeOthers, previousVersion, onWaited } = options;
  const { times = TIMES, clocks = OWN_CLOCKS } = options;

  function wakeAll(): void {
    replica.wake();
    wakeOthers();
  }

  async function awaitAll(
    { transactionId }: Mark,
    server: string,
    begunMs: number,
    committedMs: number,
  ): Promise<void> {
    const boundMs = committedMs + times.bound;
    const known = replica.server;
    // Replicas that this server does not list may still use leases that another server, or it before a restart, gave them.
    const isNew = known?.id !== server || committedMs - known.sinceMs < times.bound;
    const isMarkOld = committedMs - begunMs >= MARK_AGE_MAX_MS;
    if (isNew || isMarkOld) await sleep(boundMs - clocks.monotonicMs());
    else await roster.haveSeen(transactionId, boundMs);
  }

  return {
    async beginChange(subject) {
      const begunMs = clocks.monotonicMs();
      const mark = await table.insertMark(subject);
      wakeAll();
      const markedMs = clocks.monotonicMs();
      const [older] = await Promise.all([
        replica.hasOlderVersion ? previousVersion?.beginChange(subject) : undefined,
        roster.haveSeen(mark.transactionId, markedMs + times.mark),
      ]);
      const seenMs = clocks.monotonicMs();
      return {
        markId: mark.markId,
        async end(server) {
          const committedMs = clocks.monotonicMs();
          wakeAll();
          await Promise.all([awaitAll(mark, server, begunMs, committedMs), older?.end(server)]);
          onWaited?.(seenMs - markedMs + clocks.monotonicMs() - committedMs);
        },
        async abandon() {
          await table.deleteMark(mark.markId).catch(ignoreOutage);
          wakeAll();
          await older?.abandon();
        },
      } satisfies PendingChange;
    },
  };
}

/** The mark that stays makes replicas read the record from PostgreSQL until it is too old to count. */
function ignoreOutage(err: unknown): void {
  if (!(err instanceof StoreUnavailable)) throw err;
}
