import { pino } from "pino";
import { Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { AssistantFailure } from "../../domain/conversations/assistant-failure.ts";
import type { Ending } from "../../domain/conversations/run.ts";
import { createRunEnds } from "../../workers/run-ends.ts";
import { createRunReport } from "./runs.ts";

const LONG_MS = 60_000;
const failure = new AssistantFailure("refused", "no");

/** Whether a reader who waits is woken by the outcome of a run, when no look at the storage would. */
async function wakes(ending: Ending): Promise<boolean> {
  const conversations = { findUnfinished: async (threadIds: readonly string[]) => new Set(threadIds) };
  const runEnds = createRunEnds({ conversations, lookMs: LONG_MS, onError: () => {} });
  const report = createRunReport(pino({ level: "silent" }), new Registry(), runEnds);
  const waited = runEnds.wait("ten_1", "thr_1", LONG_MS, new AbortController().signal);
  report.onOutcome({ ...ending, runId: "run_1", threadId: "thr_1" });
  const isWoken = runEnds.waiting === 0;
  runEnds.close();
  await waited;
  return isWoken;
}

describe("whoever waits for a run", () => {
  test.each([
    [{ kind: "completed", usage: null }, true],
    [{ kind: "failed", failure }, true],
    // As it is told where the answer to its commit was lost and the next try finds the lease gone.
    [{ kind: "lost", failure: null }, true],
    [{ kind: "retried", failure }, false],
    [{ kind: "handed_over" }, false],
  ] as const)("that is $0.kind is woken: $1", async (ending, isWoken) => {
    expect(await wakes(ending)).toBe(isWoken);
  });
});
