import { type AssistantFailure, FAILURES } from "./assistant-failure.ts";
import type { ClaimedRun, TokenUsage } from "./conversation.ts";

/** Failed attempts before a run fails for good, if its deadline does not come first. */
const FAILURES_MAX = 5;
/**
 * How often a worker may die during a run before the run fails for good: a run that kills its worker would otherwise kill
 * one after the other. The number is high, because usually the run is not the cause.
 */
export const INTERRUPTIONS_MAX = 20;
/**
 * Pause before a retry; it doubles with each failure. It is short enough that a reader, who waits 30 s at most, learns of
 * the final failure. The assistant may ask for a longer pause.
 */
const RETRY_PAUSE_MS = 1_000;
const RETRY_PAUSE_MS_MAX = 60_000;

/** The outcome of one attempt at a run. Logged and counted; contains no message text. */
export type RunOutcome = Pick<ClaimedRun, "runId"> & Ending;

export type Ending =
  | { readonly kind: "completed"; readonly usage: TokenUsage | null }
  | { readonly kind: "retried" | "failed"; readonly failure: AssistantFailure }
  | { readonly kind: "handed_over" }
  /** Another worker has the run, or it ended by a commit whose response was lost. Null: no failure. */
  | { readonly kind: "lost"; readonly failure: AssistantFailure | null };

/** After these outcomes readers look again. A lost run may have ended: the response to its commit can get lost. */
const ENDS: ReadonlySet<Ending["kind"]> = new Set(["completed", "failed", "lost"]);

export function isEnd({ kind }: Ending): boolean {
  return ENDS.has(kind);
}

/** What follows an attempt without a reply: a retry after a pause, or a final failure with a public sentence. */
export type AfterFailure =
  | { readonly kind: "retry"; readonly pauseMs: number }
  | { readonly kind: "fail"; readonly sentence: string };

/** `leftMs`: the time until the run's deadline. A retry after it would have no time for a reply. */
export function afterFailure(
  { failures }: Pick<ClaimedRun, "failures">,
  failure: AssistantFailure,
  leftMs: number,
): AfterFailure {
  const { passes, sentence } = FAILURES[failure.reason];
  const pauseMs = retryPause(failures, failure.retryAfterMs);
  if (!passes || failures + 1 >= FAILURES_MAX || pauseMs >= leftMs) return { kind: "fail", sentence };
  return { kind: "retry", pauseMs };
}

function retryPause(failuresBefore: number, askedMs: number): number {
  return Math.min(Math.max(RETRY_PAUSE_MS * 2 ** failuresBefore, askedMs), RETRY_PAUSE_MS_MAX);
}
