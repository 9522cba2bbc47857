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
} from "../conversations/conversation.ts";
import type { Page, PageRequest } from "../page.ts";

/** Conversations at rest, by the clock of the storage. Every method may throw `StoreUnavailable`. */
export interface ConversationStore {
  /**
   * Stores the message, its run and, if need be, its conversation in one transaction. A message whose sender's name for
   * it was used before is not stored; answers the one that was. Throws `conversationFull` and stores nothing where too many
   * runs of the conversation are unfinished.
   */
  appendMessage(message: NewMessage): Promise<EarlierMessage | undefined>;
  /** Latest first. */
  listThreads(scope: ConversationScope, page: PageRequest): Promise<Page<Thread>>;
  /**
   * Finds a conversation and whether a run of it is unfinished. A tenant-wide scope finds nobody's conversation of that
   * key first, then the one written to last.
   */
  findThread(scope: ConversationScope, name: ConversationName): Promise<FoundThread | undefined>;
  /** Reads a conversation that was found. Undefined: it has no message `beforeMessageId`. */
  readThread(tenantId: string, threadId: string, page: MessagePage): Promise<ConversationState | undefined>;
  /** Those of the conversations that have an unfinished run. */
  findUnfinished(threadIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The work on messages, for workers on any number of replicas. Every method may throw `StoreUnavailable`. */
export interface RunQueue {
  /**
   * Takes the oldest run that is due: queued, or running under a lease that ran out; never one whose conversation has
   * an earlier unfinished run. `reads` bounds the history that comes with it.
   */
  claimRun(lease: RunLease, reads: MessageBound): Promise<ClaimedRun | undefined>;
  /** Prolongs one's own lease from now on. False: the lease was lost. */
  extendLease(runId: string, leaseToken: string, leaseMs: number): Promise<boolean>;
  /** Stores the reply and completes the run in one transaction. False: the lease was lost, nothing was written. */
  completeRun(runId: string, leaseToken: string, reply: NewReply): Promise<boolean>;
  /** Ends the run without a reply. False: the lease was lost. */
  failRun(runId: string, leaseToken: string, error: string): Promise<boolean>;
  /** Puts a run back into the queue. False: the lease was lost. */
  releaseRun(runId: string, leaseToken: string, release: RunRelease): Promise<boolean>;
}

/** Lets readers of conversations wait for the end of runs, on whichever replica they end. */
export interface RunEnds {
  /** A run of the conversation has ended. */
  announce(threadId: string): void;
  /**
   * True once the conversation is worth another look: its runs ended, `ms` are over, or the signal was aborted. False,
   * at once: no room to wait.
   */
  wait(tenantId: string, threadId: string, ms: number, signal: AbortSignal): Promise<boolean>;
  /** For what readers do after a wait, and so perhaps all of them at once. */
  readonly reads: Semaphore;
  /** Readers waiting now. */
  readonly waiting: number;
  /** Ends all waits; nobody waits any more. */
  close(): void;
}

/** Lets a bounded number of tasks run at once; the others wait, first come, first served. */
export interface Semaphore {
  take<T>(work: () => Promise<T>): Promise<T>;
}
