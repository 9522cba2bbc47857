import { setTimeout as sleep } from "node:timers/promises";
import type { SecretHash } from "../../domain/keys/key.ts";
import type { KeyChangeLog } from "../../domain/ports/keys.ts";
import {
  type CachedKeyRecords,
  type CachedKeyRecordsOptions,
  type Followed,
  FRESH_MS,
  LEASE_MS,
} from "./key-records.ts";

export interface ChangeLogFollower {
  /** Undefined if this process does not follow the change log, or has only begun to. */
  followed(): Followed | undefined;
  /**
   * Reads the changes since the last call, and removes the entries of the changed keys from the Redis of this process.
   * May throw `StoreUnavailable`: then the last `followed` stays valid until its end.
   */
  follow(): Promise<void>;
}

/** Reads of the change log within the time for which one of them is valid: some may fail. */
const READS_PER_FRESH_TIME = 5;

/** How long the change log is sure to contain a change: half of the time for which it keeps changes. */
const LISTED_MS = 300_000;

/** Entries that are removed from Redis concurrently. */
const INVALIDATIONS_AT_ONCE = 50;

/** The state after the last successful read. Redis' clock was read before the change log. */
interface Position {
  readonly history: string;
  readonly redisMs: number;
  /** The same instant by this process' monotonic clock. */
  readonly ownMs: number;
  readonly cursor: string;
  /** Undefined after the first read. */
  readonly followed: Followed | undefined;
}

/**
 * Lets a replica use entries that are no longer fresh. A change of a key removes its entry, but the replica that makes
 * the change may not reach the Redis that others use. It would then have to wait until no replica can use the entry. So
 * the database lists all changes in a log, and each replica that uses older entries keeps reading the log and removes
 * the entries from its own Redis (docs/consistency.md).
 *
 * All times are by Redis' clock, which also dates the entries: a process that was stopped for a while has lost track of
 * time.
 */
export function createChangeLogFollower(
  cachedKeys: Pick<CachedKeyRecords, "invalidate" | "serverState">,
  changeLog: KeyChangeLog,
  options: Pick<CachedKeyRecordsOptions, "leaseMs" | "freshMs"> & {
    /** Default: the process' monotonic clock. */
    readonly monotonicMs?: () => number;
  } = {},
): ChangeLogFollower {
  const { leaseMs = LEASE_MS, freshMs = FRESH_MS, monotonicMs = () => performance.now() } = options;
  let position: Position | undefined;

  /**
   * The last position, or undefined if changes may have been missed since: it is too old, or Redis has another history.
   * If Redis' clock was set back, entries from before will be usable again when the clock reaches their time. So the
   * entries of all keys changed since must be removed, and until then this process does not count as following.
   */
  function lastPosition(history: string, redisMs: number, ownMs: number): Position | undefined {
    if (position?.history !== history || ownMs - position.ownMs >= LISTED_MS) return undefined;
    if (redisMs - position.redisMs >= freshMs) return undefined;
    if (redisMs < position.redisMs && position.followed !== undefined)
      position = { ...position, followed: { ...position.followed, untilMs: redisMs } };
    return position;
  }

  /** Returns false if the entries were removed from a server with another history. */
  async function invalidateAll(changes: readonly SecretHash[], history: string): Promise<boolean> {
    for (let n = 0; n < changes.length; n += INVALIDATIONS_AT_ONCE) {
      const some = changes.slice(n, n + INVALIDATIONS_AT_ONCE);
      const histories = await Promise.all(some.map((secretHash) => cachedKeys.invalidate(secretHash)));
      if (histories.some((each) => each !== history)) return false;
    }
    return true;
  }

  return {
    followed: () => position?.followed,
    async follow() {
      // The clocks are read before the change log, so that the log contains all that was committed by then.
      const ownMs = monotonicMs();
      const { history, nowMs: redisMs } = await cachedKeys.serverState();
      const last = lastPosition(history, redisMs, ownMs);
      const { cursor, changes, isAll } = await changeLog.readKeyChanges(last?.cursor ?? null);
      if (!isAll || !(await invalidateAll(changes, history))) {
        position = undefined;
        return;
      }
      position = {
        history,
        redisMs,
        ownMs,
        cursor,
        // The first read of the change log returns no earlier commits. So only entries stored a lease later may be
        // used: by then every lease that was given before the read has expired.
        followed: last && {
          history,
          sinceMs: last.followed?.sinceMs ?? redisMs + leaseMs,
          untilMs: redisMs + freshMs,
        },
      };
    },
  };
}

/** Follows the change log until the signal is aborted. Reports when following fails, and when it works again. */
export async function keepFollowing(
  follower: Pick<ChangeLogFollower, "follow">,
  options: Pick<CachedKeyRecordsOptions, "freshMs"> & {
    readonly signal: AbortSignal;
    readonly onChange: (isFollowing: boolean, cause?: unknown) => void;
  },
): Promise<void> {
  const { freshMs = FRESH_MS, signal, onChange } = options;
  let isFollowing = true;
  while (!signal.aborted) {
    const failure = await follower.follow().then(
      () => undefined,
      (err: unknown) => ({ err }),
    );
    if (signal.aborted) return;
    if (isFollowing !== (failure === undefined)) onChange(failure === undefined, failure?.err);
    isFollowing = failure === undefined;
    await sleep(freshMs / READS_PER_FRESH_TIME, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
