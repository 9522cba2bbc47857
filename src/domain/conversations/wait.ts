import type { ConversationStore } from "../ports.ts";
import { RequestFault } from "../request-fault.ts";
import type { ConversationScope, ConversationState, RunStatus } from "./conversation.ts";

/** Longest a reader sleeps between two looks, so that a run ended by another replica is seen too. */
const LOOK_MS = 500;
/** Most readers that wait at once in one process; a further one is answered at once. */
const WAITERS_MAX = 1_000;

/** Wakes the readers of conversations when a run of this process ends. */
export interface RunEnds {
  announce(): void;
  /** Resolves at the next announcement, after `ms`, or when the signal aborts, whichever is first. */
  next(ms: number, signal: AbortSignal): Promise<void>;
  /** Readers waiting now. */
  readonly waiting: number;
}

export function createRunEnds(): RunEnds {
  const waiters = new Set<() => void>();
  return {
    get waiting() {
      return waiters.size;
    },
    announce() {
      for (const wake of [...waiters]) wake();
    },
    next(ms, signal) {
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", wake);
          waiters.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        signal.addEventListener("abort", wake);
        waiters.add(wake);
        if (signal.aborted) wake();
      });
    },
  };
}

/** Reads a conversation, at once or, with `waitMs`, as soon as its latest run has ended. */
export async function readConversation(
  ctx: { readonly conversations: ConversationStore; readonly runEnds: RunEnds },
  scope: ConversationScope,
  conversationKey: string,
  waitMs: number,
  signal: AbortSignal,
): Promise<ConversationState> {
  const until = performance.now() + waitMs;
  for (;;) {
    const state = await ctx.conversations.findConversation(scope, conversationKey);
    if (state === undefined) {
      throw new RequestFault("not_found", "conversation_key: no such conversation; send-message creates it");
    }
    const leftMs = until - performance.now();
    const over = isEnded(state.latestRun.status) || leftMs <= 0 || signal.aborted;
    if (over || ctx.runEnds.waiting >= WAITERS_MAX) return state;
    await ctx.runEnds.next(Math.min(leftMs, LOOK_MS), signal);
  }
}

export function isEnded(status: RunStatus): boolean {
  return status === "completed" || status === "failed";
}
