import { Semaphore } from "../concurrency/semaphore.ts";
import type { ConversationStore, RunEnds } from "../domain/conversations/conversation-store.ts";

/** Maximum number of readers that wait at once in one process, and for one tenant. Further readers do not wait. */
const WAITERS_MAX = 2_000;
const WAITERS_OF_TENANT_MAX = 500;
/** Readers that read from the storage at once after a wait: woken together, they would use all its connections. */
const READS_AT_ONCE = 4;

export interface RunEndsContext {
  readonly conversations: Pick<ConversationStore, "findUnfinished">;
  /** Interval of the poll, one statement for all awaited conversations: announcements may get lost. */
  readonly pollMs: number;
  readonly onError: (err: unknown) => void;
}

/** Announcements are hints that end a wait early. The regular poll guarantees that it ends. */
export function createRunEnds(ctx: RunEndsContext): RunEnds {
  const waiters = new Map<string, Set<() => void>>();
  const waitingOf = new Map<string, number>();
  let waiting = 0;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let isPolling = false;
  let pollAgain = false;

  function announce(threadId: string): void {
    for (const wake of [...(waiters.get(threadId) ?? [])]) wake();
  }

  function enter(tenantId: string, threadId: string, wake: () => void): void {
    waiting += 1;
    waitingOf.set(tenantId, (waitingOf.get(tenantId) ?? 0) + 1);
    const others = waiters.get(threadId);
    if (others === undefined) waiters.set(threadId, new Set([wake]));
    else others.add(wake);
  }

  function leave(tenantId: string, threadId: string, wake: () => void): void {
    waiting -= 1;
    const left = (waitingOf.get(tenantId) ?? 1) - 1;
    if (left === 0) waitingOf.delete(tenantId);
    else waitingOf.set(tenantId, left);
    const others = waiters.get(threadId);
    others?.delete(wake);
    if (others?.size === 0) waiters.delete(threadId);
    if (waiting === 0) clearTimeout(timer);
  }

  /** Wakes the readers of conversations without an unfinished run. One poll at a time serves all readers. */
  async function pollNow(): Promise<void> {
    pollAgain = true;
    if (isPolling) return;
    isPolling = true;
    clearTimeout(timer);
    while (pollAgain && waiting > 0) {
      pollAgain = false;
      await wakeEnded();
    }
    isPolling = false;
    if (waiting > 0) timer = setTimeout(pollNow, ctx.pollMs);
  }

  async function wakeEnded(): Promise<void> {
    const asked = [...waiters.keys()];
    try {
      const unfinished = await ctx.conversations.findUnfinished(asked);
      for (const threadId of asked) if (!unfinished.has(threadId)) announce(threadId);
    } catch (err) {
      ctx.onError(err);
    }
  }

  return {
    announce,
    reads: new Semaphore(READS_AT_ONCE),
    get waiting() {
      return waiting;
    },
    async wait(tenantId, threadId, ms, signal) {
      const full = waiting >= WAITERS_MAX || (waitingOf.get(tenantId) ?? 0) >= WAITERS_OF_TENANT_MAX;
      if (closed || full || signal.aborted) return false;
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(limit);
          signal.removeEventListener("abort", wake);
          leave(tenantId, threadId, wake);
          resolve();
        };
        const limit = setTimeout(wake, ms);
        signal.addEventListener("abort", wake);
        enter(tenantId, threadId, wake);
        // The run may have ended between the caller's read and this line.
        void pollNow();
      });
      return true;
    },
    close() {
      closed = true;
      for (const threadId of [...waiters.keys()]) announce(threadId);
    },
  };
}
