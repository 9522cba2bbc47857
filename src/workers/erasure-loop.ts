import { pause } from "../concurrency/pause.ts";
import { type Repeated, repeat } from "../concurrency/repeat.ts";
import type { ErasureStore } from "../domain/erasures/erasure-store.ts";

/** Pause after each piece, so that requests come first. */
const PIECE_PAUSE_MS = 20;

export interface ErasureLoopContext {
  readonly erasures: Pick<ErasureStore, "listUnfinished" | "removePiece">;
  /** How often to look for erasures that a process which ended has left, and for rows that were locked. */
  readonly pollMs: number;
  /** Called with each failure. What failed runs again after `pollMs`. */
  readonly onFault: (err: unknown) => void;
}

/** `stop` waits for the piece under way. */
export type ErasureLoop = Repeated;

/** The worker that finishes erasures, piece by piece. It runs on every replica, and needs no state but the table's. */
export function startErasureLoop({ erasures, pollMs, onFault }: ErasureLoopContext): ErasureLoop {
  async function removePieces(erasureId: string, stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && (await erasures.removePiece(erasureId)) === "removed") {
      await pause(PIECE_PAUSE_MS, stopping);
    }
  }

  const removeAll = async (stopping: AbortSignal): Promise<void> => {
    // One that fails does not keep the others waiting.
    for (const erasureId of await erasures.listUnfinished()) await removePieces(erasureId, stopping).catch(onFault);
  };
  return repeat(removeAll, { pollMs, onFault });
}
