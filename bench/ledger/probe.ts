import { performance } from "node:perf_hooks";
import v8 from "node:v8";

/** Preloaded into a server. It answers over IPC with what the process has counted so far. */

/** What a process counts, whatever the speed of its machine. */
export interface Counters {
  /** On V8's heap, collected or not: the process must have room enough that nothing is collected meanwhile. */
  readonly bytes: number;
  /** Of these, what was allocated in the old generation, which only a full collection frees. */
  readonly oldBytes: number;
  readonly promises: number;
  /** Turns of the event loop. */
  readonly turns: number;
}

/** `collect` first empties the heap; from `promises` to `no-promises` each promise that is made is counted, which takes memory. */
export type Ask = "collect" | "promises" | "no-promises" | "read";

let promises = 0;
let stopCounting = (): void => {};

process.on("message", (ask: Ask) => {
  answer(ask).catch((err: unknown) => console.error(err));
});
// The server ends when it wants to.
process.channel?.unref();

async function answer(ask: Ask): Promise<void> {
  if (ask === "promises") stopCounting = v8.promiseHooks.onInit(() => void promises++);
  if (ask === "collect") {
    collect();
    await new Promise(setImmediate);
    collect();
  }
  process.send?.(counters());
  if (ask === "no-promises") stopCounting();
}

function collect(): void {
  if (globalThis.gc === undefined) throw new Error("the process was started without --expose-gc");
  globalThis.gc();
}

function counters(): Counters {
  const spaces = v8.getHeapSpaceStatistics();
  const used = (isCounted: (name: string) => boolean) =>
    spaces.reduce((sum, space) => sum + (isCounted(space.space_name) ? space.space_used_size : 0), 0);
  return {
    bytes: used((name) => !name.startsWith("code")),
    oldBytes: used((name) => name === "old_space"),
    promises,
    turns: performance.nodeTiming.uvMetricsInfo.loopCount,
  };
}
