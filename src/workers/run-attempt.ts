import { setTimeout as sleep } from "node:timers/promises";
import type { Assistant, AssistantReply } from "../domain/conversations/assistant.ts";
import { AssistantFailure } from "../domain/conversations/assistant-failure.ts";
import type { ClaimedRun } from "../domain/conversations/conversation.ts";
import type { RunEnds, RunQueue } from "../domain/conversations/conversation-store.ts";
import {
  afterFailure,
  type Ending,
  INTERRUPTIONS_MAX,
  isEnd,
  type RunOutcome,
} from "../domain/conversations/run-outcome.ts";
import { newId } from "../domain/vocabulary/ids.ts";
import { StoreUnavailable } from "../domain/vocabulary/store-unavailable.ts";

/** Pauses while a reply cannot be stored. The reply is kept: otherwise the assistant would be asked, and paid, again. */
const STORE_PAUSE_MS = 500;
const STORE_PAUSE_MS_MAX = 5_000;
/** Renewals within the life of a lease, so that some may fail. */
const RENEWALS = 3;

const LOST: Ending = { kind: "lost", failure: null };

export interface RunContext {
  readonly queue: RunQueue;
  readonly assistant: Assistant;
  /** How long one worker has exclusive use of a claimed run. A worker that dies stops renewing its lease. */
  readonly leaseMs: number;
  /** Time for a run from its first attempt on, with all retries and the pauses between them. */
  readonly deadlineMs: number;
  /** Wakes the readers that wait for the run. */
  readonly runEnds: Pick<RunEnds, "announce">;
  /** Reports the attempt, for logs and metrics only. */
  readonly onOutcome: (outcome: RunOutcome) => void;
  /** Reports that the queue could not be reached, or a bug. */
  readonly onFault: (err: unknown) => void;
}

/**
 * Asks the assistant and stores the reply under the run's lease. Never throws. If the storage is unavailable, the next
 * worker repeats the attempt once the lease has expired.
 *
 * Three rules together guarantee exactly one reply: one claim at a time, completion only under the worker's own lease, and
 * a unique index on the replies. The assistant itself may be asked twice.
 */
export async function performRun(ctx: RunContext, run: ClaimedRun, handover: AbortSignal): Promise<void> {
  const lost = new AbortController();
  const endsAt = performance.now() + ctx.deadlineMs - run.elapsedMs;
  const heartbeat = setInterval(() => void renew(ctx, run, lost), ctx.leaseMs / RENEWALS);
  try {
    const outcome = await attempt(ctx, run, endsAt, AbortSignal.any([handover, lost.signal])).catch((err: unknown) => {
      if (handover.aborted) return handOver(ctx, run);
      return lost.signal.aborted ? LOST : endUnanswered(ctx, run, endsAt, err);
    });
    if (isEnd(outcome)) ctx.runEnds.announce(run.threadId);
    ctx.onOutcome({ runId: run.runId, ...outcome });
  } catch (err) {
    ctx.onFault(err);
  } finally {
    clearInterval(heartbeat);
  }
}

/** `endsAt` is the run's deadline, as `performance.now` counts. The reply may be stored after it. */
async function attempt(ctx: RunContext, run: ClaimedRun, endsAt: number, signal: AbortSignal): Promise<Ending> {
  if (run.interruptions > INTERRUPTIONS_MAX) throw new AssistantFailure("interrupted", "too many workers died over it");
  const leftMs = Math.ceil(endsAt - performance.now());
  if (leftMs <= 0) throw new AssistantFailure("timed_out", `no reply within ${ctx.deadlineMs} ms, with all retries`);
  const reply = await ctx.assistant.reply(run.history, signal, leftMs);
  const stored = await storeReply(ctx, run, reply, signal);
  return stored ? { kind: "completed", usage: reply.usage } : LOST;
}

/** False: the lease was lost and another worker has the run. */
async function storeReply(
  ctx: RunContext,
  run: ClaimedRun,
  reply: AssistantReply,
  signal: AbortSignal,
): Promise<boolean> {
  const message = {
    messageId: newId("msg"),
    parts: [reply.text],
    usage: reply.usage,
    finishReason: reply.finishReason,
  };
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

/** Puts the run back into the queue at once, because this process stops. */
async function handOver(ctx: RunContext, { runId, leaseToken }: ClaimedRun): Promise<Ending> {
  const kept = await ctx.queue.releaseRun(runId, leaseToken, { because: "handover", pauseMs: 0 });
  return kept ? { kind: "handed_over" } : LOST;
}

/** Puts a run without a reply back into the queue for a retry, or fails it for good. */
async function endUnanswered(ctx: RunContext, run: ClaimedRun, endsAt: number, err: unknown): Promise<Ending> {
  const { runId, leaseToken } = run;
  const failure = err instanceof AssistantFailure ? err : new AssistantFailure("internal", "a fault", { cause: err });
  const next = afterFailure(run, failure, endsAt - performance.now());
  if (next.kind === "retry") {
    const kept = await ctx.queue.releaseRun(runId, leaseToken, { because: "failure", pauseMs: next.pauseMs });
    return { kind: kept ? "retried" : "lost", failure };
  }
  const kept = await ctx.queue.failRun(runId, leaseToken, next.sentence);
  return { kind: kept ? "failed" : "lost", failure };
}
