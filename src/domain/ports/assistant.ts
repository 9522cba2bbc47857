import type { History, MessageBound, TokenUsage } from "../conversations/conversation.ts";

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
