import { setTimeout as sleep } from "node:timers/promises";
import type { EraseContext } from "../domain/erasures/erase.ts";
import type { ErasureStore } from "../domain/erasures/erasure-store.ts";
import { startErasureLoop } from "../workers/erasure-loop.ts";

/** Interval between two looks for erasures that another process has left. */
const POLL_MS = 2_000;
/** How long a call waits for the end of its erasure. */
const WAIT_MS = 10_000;
/** Interval between two looks at an erasure that a call waits for: another replica may finish it. */
const LOOK_MS = 50;

export interface ErasuresContext {
  readonly erasures: ErasureStore;
  /** Returns a function that logs a failure with this message. */
  readonly logFailure: (message: string) => (err: unknown) => void;
  /** Ms for which a call waits. Default 10,000. */
  readonly waitMs: number | undefined;
}

export interface Erasures extends Pick<EraseContext, "erasures" | "awaitErasure"> {
  /** Ends all waits, begins no further piece, and waits for the one under way. Never rejects. */
  close(): Promise<void>;
}

/** Starts the worker that finishes erasures, and connects the calls that wait for it. */
export function startErasures({ erasures, logFailure, waitMs = WAIT_MS }: ErasuresContext): Erasures {
  const closing = new AbortController();
  const loop = startErasureLoop({
    erasures,
    pollMs: POLL_MS,
    onFault: logFailure("an erasure could not go on: it is tried again"),
  });
  return {
    erasures,
    async awaitErasure(begun, signal) {
      loop.wake();
      const untilMs = performance.now() + waitMs;
      const ended = AbortSignal.any([signal, closing.signal]);
      let erasure = await erasures.read(begun.erasureId);
      while (!erasure.isFinished && !ended.aborted && performance.now() < untilMs) {
        await sleep(LOOK_MS, undefined, { signal: ended }).catch(() => undefined);
        erasure = await erasures.read(begun.erasureId);
      }
      return erasure;
    },
    async close() {
      closing.abort();
      await loop.stop();
    },
  };
}
