import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "../ids.ts";
import type { Assistant, AssistantReply } from "../ports/assistant.ts";
import type { RunEnds, RunQueue } from "../ports/conversations.ts";
import { StoreUnavailable } from "../store-unavailable.ts";
import { AssistantFailure, FAILURES } from "./assistant-failure.ts";
import type { ClaimedRun, TokenUsage } from "./conversation.ts";

/** How often the assistant is asked in vain before a run is given up. */
const FAILURES_MAX = 5;
/**
 * How often a worker may die over a run before it is given up: a run that kills its worker would otherwise kill one
 * after the other. High, because mostly the run is not what killed it.
 */
const INTERRUPTIONS_MAX = 20;
/**
 * Pause before a run is tried again; it doubles with each failure. So short that who waits for a reply, 30 s at most, learns
 * that there will be none. The assistant may ask for a longer one.
 */
const RETRY_PAUSE_MS = 1_000;
const RETRY_PAUSE_MS_MAX = 60_000;
/** Pauses while a reply cannot be stored. It is not thrown away: the assistant would be asked, and paid, again. */
const STORE_PAUSE_MS = 500;
const STORE_PAUSE_MS_MAX = 5_000;
/** Renewals of a lease within its life, so that some may fail. */
const RENEWALS = 3;

/** What becomes of one attempt at a run. Logged and counted; holds no text of anybody's. */
export type RunOutcome = Pick<ClaimedRun, "runId"> & Ending;

export type Ending =
  | { readonly kind: "completed"; readonly usage: TokenUsage | null }
  | { readonly kind: "retried" | "failed"; readonly failure: AssistantFailure }
  | { readonly kind: "handed_over" }
  /** Another worker has the run, or it ended by a commit whose answer we missed; null: no failure. */
  | { readonly kind: "lost"; readonly failure: AssistantFailure | null };

const LOST: Ending = { kind: "lost", failure: null };

/** After these the conversation is worth another look. A lost run may have ended: the answer to its commit can get lost. */
const ENDS: ReadonlySet<Ending["kind"]> = new Set(["completed", "failed", "lost"]);

export interface RunContext {
  readonly queue: RunQueue;
  readonly assistant: Assistant;
  /** How long a claimed run is one worker's own; a worker that dies gives it up by not renewing this. */
  readonly leaseMs: number;
  /** Wakes the readers who wait for the run. */
  readonly runEnds: Pick<RunEnds, "announce">;
  /** Reports the attempt; nothing that the product does depends on it. */
  readonly onOutcome: (outcome: RunOutcome) => void;
  /** The queue could not be reached, or we made a mistake. */
  readonly onFault: (err: unknown) => void;
}

/**
 * Asks the assistant and stores the reply under the run's lease. Never throws; what it cannot write, because the storage
 * is away, the next worker does once the lease has run out.
 *
 * Exactly one reply rests on three things together: one claim at a time, completion only under one's own lease, and a
 * unique index on the replies. The assistant itself may be asked twice.
 */
export async function performRun(ctx: RunContext, run: ClaimedRun, handover: AbortSignal): Promise<void> {
  const lost = new AbortController();
  const heartbeat = setInterval(() => void renew(ctx, run, lost), ctx.leaseMs / RENEWALS);
  try {
    const outcome = await attempt(ctx, run, AbortSignal.any([handover, lost.signal])).catch((err: unknown) => {
      if (handover.aborted) return handOver(ctx, run);
      return lost.signal.aborted ? LOST : endUnanswered(ctx, run, err);
    });
    if (ENDS.has(outcome.kind)) ctx.runEnds.announce(run.threadId);
    ctx.onOutcome({ runId: run.runId, ...outcome });
  } catch (err) {
    ctx.onFault(err);
  } finally {
    clearInterval(heartbeat);
  }
}

async function attempt(ctx: RunContext, run: ClaimedRun, signal: AbortSignal): Promise<Ending> {
  if (run.interruptions > INTERRUPTIONS_MAX) throw new AssistantFailure("interrupted", "too many workers died over it");
  const reply = await ctx.assistant.reply(run.history, signal);
  const stored = await storeReply(ctx, run, reply, signal);
  return stored ? { kind: "completed", usage: reply.usage } : LOST;
}

/** False: the lease was lost, another worker has the run. */
async function storeReply(
  ctx: RunContext,
  run: ClaimedRun,
  reply: AssistantReply,
  signal: AbortSignal,
): Promise<boolean> {
  const message = { messageId: newId("msg"), parts: [reply.text], usage: reply.usage };
  for (let pauseMs = STORE_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, STORE_PAUSE_MS_MAX)) {
    try {
      return await ctx.queue.completeRun(run.runId, run.leaseToken, message);
    } catch (err) {
      if (!(err instanceof StoreUnavailable)) throw err;
      ctx.onFault(err);
      await sleep(pauseMs, undefined, { signal });
    }
  }
}

async function renew(ctx: RunContext, run: ClaimedRun, lost: AbortController): Promise<void> {
  try {
    if (!(await ctx.queue.extendLease(run.runId, run.leaseToken, ctx.leaseMs))) lost.abort();
  } catch (err) {
    ctx.onFault(err);
  }
}

/** This process stops: the run goes back into the queue at once. */
async function handOver(ctx: RunContext, { runId, leaseToken }: ClaimedRun): Promise<Ending> {
  const kept = await ctx.queue.releaseRun(runId, leaseToken, { because: "handover", pauseMs: 0 });
  return kept ? { kind: "handed_over" } : LOST;
}

/** A run without a reply goes back into the queue, to be taken later, or fails for good. */
async function endUnanswered(ctx: RunContext, run: ClaimedRun, err: unknown): Promise<Ending> {
  const { runId, leaseToken } = run;
  const failure = err instanceof AssistantFailure ? err : new AssistantFailure("internal", "a fault", { cause: err });
  const { reason } = failure;
  if (FAILURES[reason].passes && run.failures + 1 < FAILURES_MAX) {
    const pauseMs = retryPause(run.failures, failure.retryAfterMs);
    const kept = await ctx.queue.releaseRun(runId, leaseToken, { because: "failure", pauseMs });
    return { kind: kept ? "retried" : "lost", failure };
  }
  const kept = await ctx.queue.failRun(runId, leaseToken, FAILURES[reason].sentence);
  return { kind: kept ? "failed" : "lost", failure };
}

function retryPause(failuresBefore: number, askedMs: number): number {
  return Math.min(Math.max(RETRY_PAUSE_MS * 2 ** failuresBefore, askedMs), RETRY_PAUSE_MS_MAX);
}
