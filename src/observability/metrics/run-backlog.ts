import { Gauge, type Registry } from "prom-client";
import { repeat } from "../../concurrency/repeat.ts";
import type { RunQueue, UnfinishedRuns, UnfinishedState } from "../../domain/conversations/conversation-store.ts";

/** How often the runs are counted. Not at each scrape: scrapes need no credentials, and must not wait for PostgreSQL. */
const COUNT_MS = 15_000;
const STATES: readonly UnfinishedState[] = ["queued", "retrying", "running"];

export interface RunBacklogContext {
  readonly queue: Pick<RunQueue, "countUnfinished">;
  readonly metrics: Registry;
  /** Reports that runs could not be counted. */
  readonly onFault: (err: unknown) => void;
  /** Ms between two counts. Default 15,000. */
  readonly countMs?: number | undefined;
}

/**
 * Shows how many runs of all replicas have not ended, and the age of the oldest. While they cannot be counted there is no
 * value: an old one would say that all is well.
 */
export function reportRunBacklog({ queue, metrics, onFault, countMs = COUNT_MS }: RunBacklogContext): {
  close(): void;
} {
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ["state"], registers: [metrics] });
  const counts = gauge("latchkey_runs", "Runs that have not ended, of all replicas, by state.");
  const ages = gauge("latchkey_runs_oldest_age_seconds", "Age of the oldest run of a state, 0 without runs.");

  function show(runs: readonly UnfinishedRuns[]): void {
    for (const state of STATES) {
      const found = runs.find((each) => each.state === state);
      counts.set({ state }, found?.count ?? 0);
      ages.set({ state }, found?.oldestSeconds ?? 0);
    }
  }

  const loop = repeat(async () => show(await queue.countUnfinished()), {
    pollMs: countMs,
    onFault(err) {
      counts.reset();
      ages.reset();
      onFault(err);
    },
  });
  return { close: () => void loop.stop() };
}
