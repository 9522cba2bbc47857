import type {
  ClaimedRun,
  ConversationName,
  ConversationScope,
  ConversationState,
  EarlierMessage,
  FoundThread,
  History,
  MessageBound,
  MessagePage,
  NewMessage,
  NewReply,
  RunLease,
  RunRelease,
  Thread,
  TokenUsage,
} from "./conversations/conversation.ts";
import type { Claims, KeySource, TokenExpectation } from "./identity/claims.ts";
import type { KeyDetails, KeyRecord, KeyUsage, KeyUses, NewKey, SecretHash, StoredChange } from "./keys/key.ts";
import type { KeyFilter } from "./keys/status.ts";
import type { NewOrganization, Organization } from "./orgs/org.ts";
import type { Page, PageRequest } from "./page.ts";

/** The current instant. Passed in, so that tests need not sleep. */
export type Clock = () => Date;

/**
 * The clock by which keys end: that of Redis, one for all replicas and never ahead of it, or this process' own where
 * there is no Redis or it is away. Whoever sets, tells or judges when a key ends goes by it.
 */
export type KeyClock = () => Promise<Clock>;

/**
 * Keys at rest. Every method may throw `StoreUnavailable`.
 *
 * The tenant is the first argument of everything a tenant can ask for: another tenant's key is absent. The lookup by
 * hash, which tells the tenant, and the counting of uses serve all tenants.
 */
export interface KeyStore {
  insertKey(key: NewKey): Promise<void>;
  /** The hot path: one indexed read, by the hash of the presented secret. */
  findKeyBySecretHash(secretHash: SecretHash): Promise<KeyRecord | undefined>;
  findKey(tenantId: string, keyId: string): Promise<KeyDetails | undefined>;
  /** For looking a key up as its holder would, without its secret. */
  findSecretHash(tenantId: string, keyId: string): Promise<SecretHash | undefined>;
  /** Newest first. */
  listKeys(tenantId: string, filter: KeyFilter, page: PageRequest): Promise<Page<KeyDetails>>;
  /**
   * The only way to change a key. Locks the row, asks `decide` what to do with the current record, writes, commits, and
   * answers the changed key once every replica goes by it; undefined if the tenant has no such key. What `decide` throws
   * rolls everything back. A change of nothing also waits for every replica: an earlier try may not have.
   */
  mutateKey(
    tenantId: string,
    keyId: string,
    decide: (current: KeyRecord) => StoredChange,
  ): Promise<KeyDetails | undefined>;
  /** Zeros for a key never used, as for one that the tenant does not have. */
  readUsage(tenantId: string, keyId: string): Promise<KeyUsage>;
  /** Adds to the stored counters, all or nothing. A batch stored before, within a day, is ignored. */
  addUsage(batchId: string, uses: ReadonlyMap<string, KeyUses>): Promise<void>;
}

/** What must happen around a change of a key, where copies of its record are kept outside the key store. */
export interface KeyCopies {
  /** Under the key's row lock, before the commit: no copy is made from here on. An outage does not stop the change. */
  beginChange(secretHash: SecretHash): Promise<{
    /** After the commit: resolves once no replica can accept the key as it was before. Never sooner. */
    end(): Promise<void>;
    /** Instead of the commit: nothing has changed. */
    abandon(): Promise<void>;
  }>;
}

/** The list of changes of keys, which the database itself keeps for some minutes, whoever makes the change and how. */
export interface KeyChangeLog {
  /**
   * The changes committed since the call that returned `cursor`, each once. With null: no changes, only a cursor to start
   * from. May throw `StoreUnavailable`.
   */
  readKeyChanges(cursor: string | null): Promise<KeyChanges>;
}

export interface KeyChanges {
  readonly cursor: string;
  /** The keys that were changed, in the order of their changes' numbers; one that was changed twice is there twice. */
  readonly changes: readonly SecretHash[];
  /**
   * False: some changes are not among these. There are more than are read at once, or the cursor is of another server, which
   * had what this one has not.
   */
  readonly isAll: boolean;
}

/** Counts how keys are used. Counting never fails and never waits; what is counted is stored within a second. */
export interface UsageRecorder {
  count(keyId: string, outcome: { readonly successful: boolean; readonly at: Date }): void;
  /** Stores what is counted so far. May throw `StoreUnavailable`: then it stays counted, to be stored later. */
  flush(): Promise<void>;
}

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

/** Organizations at rest, by the clock of the storage. May throw `StoreUnavailable`. */
export interface OrgStore {
  /** Stores the organization, its tenant and the owner in one transaction. */
  insertOrg(org: NewOrganization): Promise<Organization>;
}

/** Judges a user's token: signature, algorithm, issuer, audience and times. Throws `Denial`. */
export interface TokenVerifier {
  verify(token: string, expected: TokenExpectation): Promise<Claims>;
  /** Whether the provider's keys are at hand, so that a token that names one of them is judged without asking anybody. */
  hasKeys(source: KeySource): boolean;
  /** Why the keys for it cannot be fetched, in words for whoever configured them; undefined if nothing is known. Asks nobody. */
  keySetTrouble(source: KeySource): string | undefined;
}

/** Produces the reply to a conversation. */
export interface Assistant {
  /** Most of a conversation that it reads. */
  readonly reads: MessageBound;
  /** Ends within a bound of its own, or when the signal is aborted. Throws `AssistantFailure`. */
  reply(history: History, signal: AbortSignal): Promise<AssistantReply>;
}

export interface AssistantReply {
  readonly text: string;
  /** Null: it does not say. */
  readonly usage: TokenUsage | null;
}
