import type { FinishReason, History, MessageBound, TokenUsage } from "./conversation.ts";

/** Produces the reply to a conversation. */
export interface Assistant {
  /** How much of a conversation it reads at most. */
  readonly reads: MessageBound;
  /** Settles within so many ms, or when the signal is aborted. Throws `AssistantFailure`. */
  reply(history: History, signal: AbortSignal, withinMs: number): Promise<AssistantReply>;
}

export interface AssistantReply {
  readonly text: string;
  /** Null: not reported. */
  readonly usage: TokenUsage | null;
  /** Null: not reported. */
  readonly finishReason: FinishReason | null;
}
