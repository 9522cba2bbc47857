import { setTimeout as sleep } from "node:timers/promises";
import type { SecretHash } from "../../domain/keys/key.ts";
import type { KeyChangeLog } from "../../domain/ports/keys.ts";
import { COPY_MS, type Copies, type CopiesOptions, type Followed, LEASE_MS } from "./key-records.ts";

export interface ChangesFollower {
  /** Undefined: this process does not follow the changes of keys, or has just begun to. */
  followed(): Followed | undefined;
  /**
   * Reads what has changed since the last time, and sees to it that the Redis of this process has no copy of it. May throw
   * `StoreUnavailable`: then `followed` goes on until its end.
   */
  follow(): Promise<void>;
}

/** So often within the time for which one look at the list is good: some may fail. */
const LOOKS = 5;

/** For so long the list is sure to name a change, and more: half of what it keeps. */
const LISTED_MS = 300_000;

/** Changes that Redis is told of at once. */
const TOLD_AT_ONCE = 50;

/** Where it stood when Redis was asked last. */
interface Position {
  readonly history: string;
  readonly askedMs: number;
  /** The same by this process' own clock, which nobody sets back. */
  readonly askedAtMs: number;
  readonly cursor: string;
  /** Undefined: the first time. */
  readonly followed: Followed | undefined;
}

/**
 * Lets copies grow old. A change of a key removes its copy itself; but who changes it may not reach the Redis that others
 * use, and would have to wait for as long as copies are believed. So the database lists all changes, every replica that
 * believes old copies looks at that list all the time, and tells its own Redis (docs/consistency.md).
 *
 * All times are Redis' own, as it judges copies by them: a process that was stopped for a while does not know.
 */
export function createChangesFollower(
  copies: Pick<Copies, "forget" | "origin">,
  log: KeyChangeLog,
  options: Pick<CopiesOptions, "leaseMs" | "copyMs"> & {
    /** Default: that of the process. */
    readonly monotonicMs?: () => number;
  } = {},
): ChangesFollower {
  const { leaseMs = LEASE_MS, copyMs = COPY_MS, monotonicMs = () => performance.now() } = options;
  let position: Position | undefined;

  /**
   * The last position, unless changes may have been missed since: it is too long ago, or Redis another one. Where Redis'
   * clock was set back, copies from before it will be believed again when it gets there, so what has changed since must be
   * told, and nobody is said to follow until it is.
   */
  function lastBefore(history: string, nowMs: number, nowAtMs: number): Position | undefined {
    if (position?.history !== history || nowAtMs - position.askedAtMs >= LISTED_MS) return undefined;
    if (nowMs - position.askedMs >= copyMs) return undefined;
    if (nowMs < position.askedMs && position.followed !== undefined)
      position = { ...position, followed: { ...position.followed, untilMs: nowMs } };
    return position;
  }

  /** False: to a server of another history than the one that was asked. */
  async function tellAll(changes: readonly SecretHash[], history: string): Promise<boolean> {
    for (let n = 0; n < changes.length; n += TOLD_AT_ONCE) {
      const some = changes.slice(n, n + TOLD_AT_ONCE);
      const histories = await Promise.all(some.map((secretHash) => copies.forget(secretHash)));
      if (histories.some((each) => each !== history)) return false;
    }
    return true;
  }

  return {
    followed: () => position?.followed,
    async follow() {
      // Asked before the list is read, so that all that was committed by then is in the list.
      const askedAtMs = monotonicMs();
      const { history, nowMs } = await copies.origin();
      const last = lastBefore(history, nowMs, askedAtMs);
      const { cursor, changes, isAll } = await log.readKeyChanges(last?.cursor ?? null);
      if (!isAll || !(await tellAll(changes, history))) {
        position = undefined;
        return;
      }
      position = {
        history,
        askedMs: nowMs,
        askedAtMs,
        cursor,
        // The first look at the list misses earlier commits. So copies count from a lease later, when every lease given
        // before it is over.
        followed: last && {
          history,
          sinceMs: last.followed?.sinceMs ?? nowMs + leaseMs,
          untilMs: nowMs + copyMs,
        },
      };
    },
  };
}

/** Follows until the signal is aborted. Tells when it cannot, and when it can again. */
export async function keepFollowing(
  follower: Pick<ChangesFollower, "follow">,
  options: Pick<CopiesOptions, "copyMs"> & {
    readonly signal: AbortSignal;
    readonly onChange: (isFollowing: boolean, cause?: unknown) => void;
  },
): Promise<void> {
  const { copyMs = COPY_MS, signal, onChange } = options;
  let isFollowing = true;
  while (!signal.aborted) {
    const failure = await follower.follow().then(
      () => undefined,
      (err: unknown) => ({ err }),
    );
    if (signal.aborted) return;
    if (isFollowing !== (failure === undefined)) onChange(failure === undefined, failure?.err);
    isFollowing = failure === undefined;
    await sleep(copyMs / LOOKS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
