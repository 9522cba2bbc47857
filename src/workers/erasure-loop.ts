import type { ErasureStore } from "../domain/erasures/erasure-store.ts";
import { createWakeablePause } from "./wakeable-pause.ts";

/** Pause after each piece, so that requests come first. */
const PIECE_PAUSE_MS = 20;

export interface ErasureLoopContext {
  readonly erasures: Pick<ErasureStore, "listUnfinished" | "removePiece">;
  /** How often to look for erasures that a process which ended has left, and for rows that were locked. */
  readonly pollMs: number;
  /** Called with each failure. What failed runs again after `pollMs`. */
  readonly onFault: (err: unknown) => void;
}

export interface ErasureLoop {
  /** Looks now. */
  wake(): void;
  /** Begins no further piece, and waits for the one under way. Idempotent. Never rejects. */
  stop(): Promise<void>;
}

/** The worker that finishes erasures, piece by piece. It runs on every replica, and needs no state but the table's. */
export function startErasureLoop({ erasures, pollMs, onFault }: ErasureLoopContext): ErasureLoop {
  const pause = createWakeablePause();
  const betweenPieces = createWakeablePause();
  let isStopping = false;

  async function work(): Promise<void> {
    while (!isStopping) {
      // The pause begins before the look, so that a wake during the look is not lost.
      const more = pause.next(pollMs);
      const unfinished = await erasures.listUnfinished().catch(report);
      // One that fails does not keep the others waiting.
      for (const erasureId of unfinished ?? []) await removePieces(erasureId).catch(report);
      await more;
    }
  }

  async function removePieces(erasureId: string): Promise<void> {
    while (!isStopping && (await erasures.removePiece(erasureId)) === "removed") {
      await betweenPieces.next(PIECE_PAUSE_MS);
    }
  }

  function report(err: unknown): undefined {
    onFault(err);
    return undefined;
  }

  const working = work();
  return {
    wake: pause.wake,
    async stop() {
      isStopping = true;
      pause.wake();
      betweenPieces.wake();
      await working;
    },
  };
}
