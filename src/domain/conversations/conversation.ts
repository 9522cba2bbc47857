/** Who wrote a message. */
export type Role = "user" | "assistant";

export type RunStatus = "queued" | "running" | "completed" | "failed";

/** A conversation as lists show it. It belongs to (tenant, user). */
export interface Thread {
  readonly threadId: string;
  readonly conversationKey: string;
  /** Null: nobody's, that is the tenant's own backend. */
  readonly userId: string | null;
  readonly messageCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface Message {
  readonly messageId: string;
  readonly runId: string;
  readonly role: Role;
  /** Text parts, in order. */
  readonly parts: readonly string[];
  readonly createdAt: Date;
}

/** What a reply cost, as the model counted it. */
export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** The work on one user message: ends in exactly one reply or one failure. */
export interface Run {
  readonly runId: string;
  readonly status: RunStatus;
  /** Why it failed; empty unless it did. Public. */
  readonly error: string;
  /** Null until it is completed, and where the model does not say. */
  readonly usage: TokenUsage | null;
}

export interface ConversationState {
  readonly conversationKey: string;
  /** In order. */
  readonly messages: readonly Message[];
  readonly hasEarlierMessages: boolean;
  readonly latestRun: Run;
}

/** Whose conversations a caller may see: one user's, or the whole tenant's, nobody's among them. */
export type ConversationScope =
  | { readonly kind: "user"; readonly tenantId: string; readonly userId: string }
  | { readonly kind: "tenant"; readonly tenantId: string };

/** A conversation as its readers name it. */
export interface ConversationName {
  readonly conversationKey: string;
  /** Chooses among the conversations that several users have of this key; null: the first in `findThread`'s order. */
  readonly threadId: string | null;
}

/** A conversation that was found. */
export interface FoundThread {
  readonly threadId: string;
  /** Whether a run of it is queued or running. */
  readonly unfinished: boolean;
}

/** Most of a conversation that is read at once: its latest messages, at least one. */
export interface MessageBound {
  readonly messages: number;
  /** Bytes that the messages take as they are stored. */
  readonly bytes: number;
}

/** Which messages of a conversation to read. */
export interface MessagePage extends MessageBound {
  /** The message to read up to, itself left out; null: to the end. */
  readonly beforeMessageId: string | null;
}

/** A user message to store, together with the run that will answer it. */
export interface NewMessage {
  readonly tenantId: string;
  /** Null: nobody's, that is the tenant's own backend. */
  readonly userId: string | null;
  readonly conversationKey: string;
  /** Used if the conversation does not exist yet. */
  readonly threadId: string;
  readonly messageId: string;
  readonly runId: string;
  /** The sender's own name for the message, unique for (tenant, user); null: it has none. */
  readonly clientMessageId: string | null;
  readonly parts: readonly string[];
}

/** A message as it was first sent under the sender's own name for it. */
export type EarlierMessage = Pick<NewMessage, "runId" | "messageId" | "conversationKey" | "parts">;

/** A worker's claim to a run: nobody else's for `leaseMs`, and longer if it is extended. */
export interface RunLease {
  readonly token: string;
  readonly leaseMs: number;
}

/** The assistant's message, to be stored. */
export interface NewReply {
  readonly messageId: string;
  readonly parts: readonly string[];
  readonly usage: TokenUsage | null;
}

/** How a run goes back into the queue. A handover is not held against it. */
export interface RunRelease {
  readonly because: "failure" | "handover";
  /** Before it may be taken again. */
  readonly pauseMs: number;
}

/** A run taken by a worker, for as long as its lease lasts. */
export interface ClaimedRun {
  readonly runId: string;
  readonly threadId: string;
  readonly leaseToken: string;
  /** How often the assistant was asked in vain. */
  readonly failures: number;
  /** How often a worker had it and was never heard of again. */
  readonly interruptions: number;
  /** The conversation up to and including the run's own message, in order, without those of later and of failed runs. */
  readonly history: History;
}

export type History = readonly Pick<Message, "role" | "parts">[];
