import { type AssistantFailure, FAILURES } from "./assistant-failure.ts";
import type { ClaimedRun, TokenUsage } from "./conversation.ts";

/** How often the assistant is asked in vain before a run is given up. */
const FAILURES_MAX = 5;
/**
 * How often a worker may die over a run before it is given up: a run that kills its worker would otherwise kill one
 * after the other. High, because mostly the run is not what killed it.
 */
export const INTERRUPTIONS_MAX = 20;
/**
 * Pause before a run is tried again; it doubles with each failure. So short that who waits for a reply, 30 s at most, learns
 * that there will be none. The assistant may ask for a longer one.
 */
const RETRY_PAUSE_MS = 1_000;
const RETRY_PAUSE_MS_MAX = 60_000;

/** What becomes of one attempt at a run. Logged and counted; holds no text of anybody's. */
export type RunOutcome = Pick<ClaimedRun, "runId"> & Ending;

export type Ending =
  | { readonly kind: "completed"; readonly usage: TokenUsage | null }
  | { readonly kind: "retried" | "failed"; readonly failure: AssistantFailure }
  | { readonly kind: "handed_over" }
  /** Another worker has the run, or it ended by a commit whose answer we missed; null: no failure. */
  | { readonly kind: "lost"; readonly failure: AssistantFailure | null };

/** After these the conversation is worth another look. A lost run may have ended: the answer to its commit can get lost. */
const ENDS: ReadonlySet<Ending["kind"]> = new Set(["completed", "failed", "lost"]);

export function isEnd({ kind }: Ending): boolean {
  return ENDS.has(kind);
}

/** What a run without a reply does next: it is tried again after a pause, or fails for good with a public sentence. */
export type AfterFailure =
  | { readonly kind: "retry"; readonly pauseMs: number }
  | { readonly kind: "fail"; readonly sentence: string };

export function afterFailure({ failures }: Pick<ClaimedRun, "failures">, failure: AssistantFailure): AfterFailure {
  const { passes, sentence } = FAILURES[failure.reason];
  if (!passes || failures + 1 >= FAILURES_MAX) return { kind: "fail", sentence };
  return { kind: "retry", pauseMs: retryPause(failures, failure.retryAfterMs) };
}

function retryPause(failuresBefore: number, askedMs: number): number {
  return Math.min(Math.max(RETRY_PAUSE_MS * 2 ** failuresBefore, askedMs), RETRY_PAUSE_MS_MAX);
}
