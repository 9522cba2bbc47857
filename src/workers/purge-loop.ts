import { pause } from "../concurrency/pause.ts";
import { repeat } from "../concurrency/repeat.ts";
import type { Clock } from "../domain/vocabulary/clock.ts";

const PASS_MS = 60_000;
/** Pause after each piece, so that requests come first. */
const PIECE_PAUSE_MS = 100;

/**
 * Removes one small piece of what is no longer kept at `now`, in one short statement. Resolves with whether more is left.
 *
 * It runs on several replicas at once, so it must skip rows that another session has locked, and never wait for them.
 */
export type Removal = (now: Date) => Promise<boolean>;

export interface PurgeLoopContext {
  /** Each takes turns with the others, a piece at a time. */
  readonly removals: readonly Removal[];
  /** The clock by which rows grow old. */
  readonly clock: Clock;
  /** Called with each failure of a removal. It runs again in the next pass. */
  readonly onFault: (err: unknown) => void;
  /** Ms between two passes, and before the first one. Default 60,000. */
  readonly passMs?: number | undefined;
}

export interface PurgeLoop {
  /** Begins no further piece, and waits for the one under way. Idempotent. Never rejects. */
  close(): Promise<void>;
}

/**
 * The worker that removes old rows: once a minute, piece by piece until nothing is left. After an outage, or on the first
 * pass with a shorter retention, much is to be removed: small pieces keep locks and transactions short.
 */
export function startPurgeLoop({ removals, clock, onFault, passMs = PASS_MS }: PurgeLoopContext): PurgeLoop {
  /** Returns whether more is left. A removal that fails is left to the next pass, and does not stop the others. */
  async function removePiece(remove: Removal): Promise<boolean> {
    try {
      return await remove(clock());
    } catch (err) {
      onFault(err);
      return false;
    }
  }

  async function pass(stopping: AbortSignal): Promise<void> {
    let due = removals;
    while (due.length > 0) {
      const unfinished: Removal[] = [];
      for (const remove of due) {
        if (stopping.aborted) return;
        if (await removePiece(remove)) unfinished.push(remove);
      }
      due = unfinished;
      if (due.length > 0) await pause(PIECE_PAUSE_MS, stopping);
    }
  }

  return { close: repeat(pass, { pollMs: passMs, onFault, isDelayed: true }).stop };
}
