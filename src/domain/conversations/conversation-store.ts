import type { Page, PageRequest } from "../vocabulary/page.ts";
import type {
  ClaimedRun,
  ConversationName,
  ConversationScope,
  ConversationState,
  EarlierMessage,
  FoundThread,
  MessageBound,
  MessagePage,
  NewMessage,
  NewReply,
  RunLease,
  RunRelease,
  Thread,
} from "./conversation.ts";

/** Stores conversations. Timestamps come from the storage's clock. Every method may throw `StoreUnavailable`. */
export interface ConversationStore {
  /**
   * Stores the message, its run and, if it is new, its conversation in one transaction. If the sender used the same
   * `clientMessageId` before, it stores nothing and returns the earlier message. Throws `conversationFull` and stores
   * nothing if too many runs of the conversation are unfinished.
   */
  appendMessage(message: NewMessage): Promise<EarlierMessage | undefined>;
  /** Latest first. */
  listThreads(scope: ConversationScope, page: PageRequest): Promise<Page<Thread>>;
  /**
   * Finds a conversation and whether a run of it is unfinished. For a tenant-wide scope, the tenant's own conversation
   * (without a user) comes first, then the one written to last.
   */
  findThread(scope: ConversationScope, name: ConversationName): Promise<FoundThread | undefined>;
  /** Reads a conversation by its thread id. Undefined: it has no message `beforeMessageId`, or was removed. */
  readThread(tenantId: string, threadId: string, page: MessagePage): Promise<ConversationState | undefined>;
  /** Returns the conversations that have an unfinished run. */
  findUnfinished(threadIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Removes old messages. May throw `StoreUnavailable`. */
export interface ConversationRetention {
  /**
   * Removes a piece of what is older than the instant: runs that have ended, with their messages, and conversations that have no
   * other run. Returns whether there may be more.
   */
  removeBefore(instant: Date): Promise<boolean>;
}

/** The work on messages, for workers on any number of replicas. Every method may throw `StoreUnavailable`. */
export interface RunQueue {
  /**
   * Claims the oldest run that is due: queued, or running under an expired lease. It skips runs whose conversation has
   * an earlier unfinished run. `reads` bounds the history that is returned with it.
   */
  claimRun(lease: RunLease, reads: MessageBound): Promise<ClaimedRun | undefined>;
  /** Extends the caller's lease from now on. False: the lease was lost. */
  extendLease(runId: string, leaseToken: string, leaseMs: number): Promise<boolean>;
  /** Stores the reply and completes the run in one transaction. False: the lease was lost, nothing was written. */
  completeRun(runId: string, leaseToken: string, reply: NewReply): Promise<boolean>;
  /** Ends the run without a reply. False: the lease was lost. */
  failRun(runId: string, leaseToken: string, error: string): Promise<boolean>;
  /** Puts a run back into the queue. False: the lease was lost. */
  releaseRun(runId: string, leaseToken: string, release: RunRelease): Promise<boolean>;
  /** Counts the unfinished runs of all replicas. A state without runs is left out. */
  countUnfinished(): Promise<readonly UnfinishedRuns[]>;
}

/** Runs that have not ended: `queued` to be worked on now, `retrying` after a pause, `running`. */
export type UnfinishedState = "queued" | "retrying" | "running";

export interface UnfinishedRuns {
  readonly state: UnfinishedState;
  readonly count: number;
  /** Seconds since the oldest of them was sent. */
  readonly oldestSeconds: number;
}

/** Lets readers of conversations wait for the end of runs, on any replica. */
export interface RunEnds {
  /** Announces that a run of the conversation has ended. */
  announce(threadId: string): void;
  /**
   * Resolves to true when the conversation should be read again: its runs ended, `ms` are over, or the signal was
   * aborted. Resolves to false at once if too many readers wait already.
   */
  wait(tenantId: string, threadId: string, ms: number, signal: AbortSignal): Promise<boolean>;
  /** Bounds the reads after a wait, which many readers start at the same time. */
  readonly reads: Semaphore;
  /** Number of readers that wait now. */
  readonly waiting: number;
  /** Ends all waits. Later waits return at once. */
  close(): void;
}

/** Runs a bounded number of tasks at once. The others wait in the order in which they came. */
export interface Semaphore {
  take<T>(work: () => Promise<T>): Promise<T>;
}
