import { setImmediate as turn } from "node:timers/promises";
import { untilDeadline } from "../domain/vocabulary/until-deadline.ts";

/** Before `process.ts` ends the process, and after the last request is aborted: 25 s with the longest drain. */
const STOP_MS = 26_500;

/** Ends one thing. Nothing waits for it beyond `deadline`. */
export type Ending = (deadline: AbortSignal) => unknown;

/** Each step registers the end of each resource where it opens it. */
export interface Lifecycle {
  /** Aborted as soon as the process begins to stop. */
  readonly stopping: AbortSignal;
  /** First: for what serves and works. All end at the same time. */
  onStop(end: Ending): void;
  /**
   * When nothing serves or works any more: for what was counted or collected meanwhile. All begin in the order in which they
   * were opened, without a wait between them, and end at the same time.
   */
  onIdle(end: Ending): void;
  /** At last: for what is open. One after the other, what was opened last first. */
  onClose(end: Ending): void;
  /**
   * Ends all, whatever fails. Rejects at the end with what failed. Calling it again waits for the same end.
   */
  close(): Promise<void>;
}

/** `stopMs`: ms from `close` until nothing is waited for any more. Default 26,500. All that is left is ended all the same. */
export function createLifecycle(stopMs: number = STOP_MS): Lifecycle {
  const stopping = new AbortController();
  const onStop: Ending[] = [];
  const onIdle: Ending[] = [];
  const onClose: Ending[] = [];
  let closed: Promise<void> | undefined;

  async function endAll(): Promise<void> {
    stopping.abort();
    const deadline = AbortSignal.timeout(stopMs);
    const failures: unknown[] = [];
    const end = async (ending: Ending): Promise<void> => {
      try {
        await ending(deadline);
      } catch (err) {
        failures.push(err);
      }
    };
    const together = async (endings: readonly Ending[]): Promise<void> => {
      await untilDeadline(Promise.all(endings.map(end)), deadline);
      // A task that ends by the deadline reports its loss before the next one ends.
      if (deadline.aborted) await turn();
    };
    await together(onStop);
    await together(onIdle);
    for (const ending of onClose.toReversed()) await together([ending]);
    if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures);
  }

  return {
    stopping: stopping.signal,
    onStop: (end) => void onStop.push(end),
    onIdle: (end) => void onIdle.push(end),
    onClose: (end) => void onClose.push(end),
    close: () => (closed ??= endAll()),
  };
}
