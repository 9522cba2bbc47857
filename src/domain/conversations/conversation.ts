/** The author of a message. */
export type Role = "user" | "assistant";

export type RunStatus = "queued" | "running" | "completed" | "failed";

/** A conversation as lists show it. It belongs to (tenant, user). */
export interface Thread {
  readonly threadId: string;
  readonly conversationKey: string;
  /** Null: it belongs to no user, but to the tenant's own backend. */
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

/** How a reply ended: whole, at the model's limit of tokens, cut by a content filter, or for another reason. */
export const FINISH_REASONS = ["stop", "length", "content_filter", "other"] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

/** The work on one user message: ends in exactly one reply or one failure. */
export interface Run {
  readonly runId: string;
  readonly status: RunStatus;
  /** Why it failed; empty unless it did. Public. */
  readonly error: string;
  /** Null until it is completed, and where the model does not say. */
  readonly usage: TokenUsage | null;
  /** Null until it is completed, and where the model does not say. */
  readonly finishReason: FinishReason | null;
}

export interface ConversationState {
  readonly conversationKey: string;
  /** In order. */
  readonly messages: readonly Message[];
  readonly hasEarlierMessages: boolean;
  readonly latestRun: Run;
}

/** The conversations that a caller may see: one user's, or the tenant's, including those without a user. */
export type ConversationScope =
  | { readonly kind: "user"; readonly tenantId: string; readonly userId: string }
  | { readonly kind: "tenant"; readonly tenantId: string };

/** How readers name a conversation. */
export interface ConversationName {
  readonly conversationKey: string;
  /** Selects one of several users' conversations with this key. Null: the first in `findThread`'s order. */
  readonly threadId: string | null;
}

export interface FoundThread {
  readonly threadId: string;
  /** Whether a run of it is queued or running. */
  readonly unfinished: boolean;
}

/** How much of a conversation is read at once: its latest messages, at least one. */
export interface MessageBound {
  readonly messages: number;
  /** Bytes that the messages take as they are stored. */
  readonly bytes: number;
}

/** Which messages of a conversation to read. */
export interface MessagePage extends MessageBound {
  /** Reads the messages before this one. Null: up to the end. */
  readonly beforeMessageId: string | null;
}

/** A user message to store, together with the run that will answer it. */
export interface NewMessage {
  readonly tenantId: string;
  /** Null: it belongs to no user, but to the tenant's own backend. */
  readonly userId: string | null;
  readonly conversationKey: string;
  /** Used if the conversation does not exist yet. */
  readonly threadId: string;
  readonly messageId: string;
  readonly runId: string;
  /** The sender's own id for the message, unique for (tenant, user). Null: none. */
  readonly clientMessageId: string | null;
  readonly parts: readonly string[];
}

/** The message that was first sent with a `clientMessageId`. */
export type EarlierMessage = Pick<NewMessage, "runId" | "messageId" | "conversationKey" | "parts">;

/** A worker's exclusive claim to a run for `leaseMs`, and longer if it is extended. */
export interface RunLease {
  readonly token: string;
  readonly leaseMs: number;
}

/** The assistant's message, to be stored. */
export interface NewReply {
  readonly messageId: string;
  readonly parts: readonly string[];
  readonly usage: TokenUsage | null;
  readonly finishReason: FinishReason | null;
}

/** How a run goes back into the queue. A handover does not count as a failure. */
export interface RunRelease {
  readonly because: "failure" | "handover";
  /** Ms before it may be claimed again. */
  readonly pauseMs: number;
}

/** A run that a worker has claimed, for as long as its lease lasts. */
export interface ClaimedRun {
  readonly runId: string;
  readonly threadId: string;
  readonly leaseToken: string;
  /** Ms since the first attempt that no dead or stopped worker has cut off. */
  readonly elapsedMs: number;
  /** Failed attempts so far. */
  readonly failures: number;
  /** How often a worker's lease on it expired. */
  readonly interruptions: number;
  /** The conversation up to and including the run's own message, in order, without those of later and of failed runs. */
  readonly history: History;
}

export type History = readonly Pick<Message, "role" | "parts">[];
