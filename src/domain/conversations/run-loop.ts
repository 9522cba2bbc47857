import { randomUUID } from "node:crypto";
import { newId } from "../ids.ts";
import type { Assistant, Clock, ConversationStore } from "../ports.ts";
import type { ClaimedRun } from "./conversation.ts";

/** How long a claimed run is one worker's own; a worker that dies gives it up by not renewing this. */
const LEASE_MS = 30_000;
/** The lease is renewed at a third of its life, so that two renewals may fail. */
const HEARTBEAT_MS = LEASE_MS / 3;
/** How often a run is taken at most before it is given up. */
const ATTEMPTS_MAX = 3;
/** First pause before a run is tried again; it doubles with each attempt. */
const RETRY_PAUSE_MS = 1_000;
/** Told to the conversation's readers; the cause goes to our log only. */
const FAILURE_SENTENCE = "The assistant could not produce a reply; send the message again.";

export interface RunLoopContext {
  readonly conversations: ConversationStore;
  readonly assistant: Assistant;
  readonly clock: Clock;
  /** How often to look for work that nobody announced: other replicas' messages, expired leases, retries. */
  readonly pollMs: number;
  readonly onError: (err: unknown, event: "run failed" | "queue unreachable") => void;
  /** Called when a run has ended, in a reply or a failure. */
  readonly onEnd: () => void;
}

export interface RunLoop {
  /** Looks for work now, not at the next poll. */
  wake(): void;
  /** Takes no more work and hands back what is under way. */
  stop(): Promise<void>;
}

/**
 * The worker: claims a run under a lease, asks the assistant, stores the reply under the same lease.
 *
 * Exactly one reply rests on three things together: one claim at a time, completion only under one's own lease, and a
 * unique index on the replies. The assistant itself may be asked twice.
 */
export function startRunLoop(ctx: RunLoopContext): RunLoop {
  const stopping = new AbortController();
  let wakeUp: (() => void) | undefined;
  let woken = false;

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = false;
      try {
        while (!stopping.signal.aborted && (await takeOneRun(ctx, stopping.signal))) {
          // The queue is worked off before the loop rests.
        }
      } catch (err) {
        ctx.onError(err, "queue unreachable");
      }
      if (!woken && !stopping.signal.aborted) await rest();
    }
  }

  function rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ctx.pollMs);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function wake(): void {
    woken = true;
    wakeUp?.();
  }

  const working = work();
  return {
    wake,
    async stop() {
      stopping.abort();
      wake();
      await working;
    },
  };
}

/** False: there was nothing to do. */
async function takeOneRun(ctx: RunLoopContext, stopping: AbortSignal): Promise<boolean> {
  const now = ctx.clock();
  const run = await ctx.conversations.claimRun({ token: randomUUID(), now, until: leaseEnd(now) });
  if (run === undefined) return false;
  const lost = new AbortController();
  const heartbeat = setInterval(() => void renew(ctx, run, lost), HEARTBEAT_MS);
  try {
    const reply = await ctx.assistant.reply(run.history, AbortSignal.any([stopping, lost.signal]));
    await ctx.conversations.completeRun(run.runId, run.leaseToken, {
      messageId: newId("msg"),
      parts: [reply],
      createdAt: ctx.clock(),
    });
    ctx.onEnd();
  } catch (err) {
    await endUnanswered(ctx, run, err, stopping.aborted);
  } finally {
    clearInterval(heartbeat);
  }
  return true;
}

async function renew(ctx: RunLoopContext, run: ClaimedRun, lost: AbortController): Promise<void> {
  try {
    const kept = await ctx.conversations.extendLease(run.runId, run.leaseToken, leaseEnd(ctx.clock()));
    if (!kept) lost.abort();
  } catch (err) {
    ctx.onError(err, "queue unreachable");
  }
}

/** A run without a reply goes back into the queue, at once if we are stopping, later if it failed, or fails for good. */
async function endUnanswered(ctx: RunLoopContext, run: ClaimedRun, err: unknown, stopping: boolean): Promise<void> {
  const now = ctx.clock();
  if (stopping) {
    await ctx.conversations.releaseRun(run.runId, run.leaseToken, now);
    return;
  }
  ctx.onError(err, "run failed");
  if (run.attempt < ATTEMPTS_MAX) {
    const pauseMs = RETRY_PAUSE_MS * 2 ** (run.attempt - 1);
    await ctx.conversations.releaseRun(run.runId, run.leaseToken, new Date(now.getTime() + pauseMs));
    return;
  }
  await ctx.conversations.failRun(run.runId, run.leaseToken, { error: FAILURE_SENTENCE, at: now });
  ctx.onEnd();
}

function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}
