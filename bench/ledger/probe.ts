import { performance } from "node:perf_hooks";
import v8 from "node:v8";

/** Preloaded into a server: answers with what its process has counted so far. */

/** What a process counts, whatever the speed of its machine. */
export interface Counters {
  /** Allocated on the heap, as long as nothing is collected. */
  readonly bytes: number;
  /** Of these, in the old generation, which only a full collection frees. */
  readonly oldBytes: number;
  readonly promises: number;
  /** Turns of the event loop. */
  readonly turns: number;
}

/** `collect` empties the heap first. */
export type Ask = "collect" | "read";

let promises = 0;
v8.promiseHooks.onInit(() => void promises++);

process.on("message", (ask: Ask) => {
  answer(ask).catch((err: unknown) => console.error(err));
});
// The server ends when its own work does.
process.channel?.unref();

async function answer(ask: Ask): Promise<void> {
  if (ask === "collect") {
    collect();
    // What was reachable from this turn only.
    await new Promise(setImmediate);
    collect();
  }
  process.send?.(counters());
}

function collect(): void {
  if (globalThis.gc === undefined) throw new Error("the process was started without --expose-gc");
  globalThis.gc();
}

function counters(): Counters {
  const spaces = v8.getHeapSpaceStatistics();
  const used = (isCounted: (space: string) => boolean) =>
    spaces.reduce((sum, space) => sum + (isCounted(space.space_name) ? space.space_used_size : 0), 0);
  return {
    bytes: used((space) => !space.startsWith("code")),
    oldBytes: used((space) => space === "old_space"),
    promises,
    turns: performance.nodeTiming.uvMetricsInfo.loopCount,
  };
}
