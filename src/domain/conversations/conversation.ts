/** Who wrote a message. */
export type Role = "user" | "assistant";

export type RunStatus = "queued" | "running" | "completed" | "failed";

/** A conversation as lists show it. It belongs to (tenant, user). */
export interface Thread {
  readonly threadId: string;
  readonly conversationKey: string;
  /** Empty: nobody's, that is the tenant's own backend. */
  readonly userId: string;
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

/** The work on one user message: ends in exactly one reply or one failure. */
export interface Run {
  readonly runId: string;
  readonly status: RunStatus;
  /** Why it failed; empty unless it did. Public. */
  readonly error: string;
}

export interface ConversationState {
  readonly conversationKey: string;
  readonly messages: readonly Message[];
  readonly latestRun: Run;
}

/** Whose conversations a caller may see: one user's, or (null) the whole tenant's. */
export interface ConversationScope {
  readonly tenantId: string;
  readonly userId: string | null;
}

/** A user message to store, together with the run that will answer it. */
export interface NewMessage {
  readonly tenantId: string;
  /** Empty: nobody's. */
  readonly userId: string;
  readonly conversationKey: string;
  /** Used if the conversation does not exist yet. */
  readonly threadId: string;
  readonly messageId: string;
  readonly runId: string;
  readonly parts: readonly string[];
  readonly createdAt: Date;
}

/** A run taken by a worker, for as long as its lease lasts. */
export interface ClaimedRun {
  readonly runId: string;
  readonly leaseToken: string;
  /** How often the run was taken, this time included. */
  readonly attempt: number;
  /** The conversation up to and including the run's own message, in order, without messages of later runs. */
  readonly history: readonly Pick<Message, "role" | "parts">[];
}
