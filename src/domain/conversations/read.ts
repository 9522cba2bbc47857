import type { ConversationStore } from "../ports.ts";
import { invalid, RequestFault } from "../request-fault.ts";
import type { ConversationName, ConversationScope, ConversationState, RunStatus } from "./conversation.ts";
import type { RunEnds } from "./wait.ts";

/** Messages of a page when the caller names no number, and at most. */
const MESSAGES_MAX = 1_000;
/** Bytes of a page's messages: with 1,000 messages of 32 KiB, one answer would take 32 MiB. */
const PAGE_BYTES_MAX = 1_048_576;

/** What to read of a conversation, and how long to wait for a run of it. */
export interface ReadCommand extends ConversationName {
  /** 0: answer at once. */
  readonly waitMs: number;
  /** 0: as many as there may be. */
  readonly messagesMax: number;
  readonly beforeMessageId: string | null;
}

/** Reads a conversation, at once or, with `waitMs`, as soon as no run of it is unfinished. */
export async function readConversation(
  ctx: { readonly conversations: ConversationStore; readonly runEnds: RunEnds },
  scope: ConversationScope,
  command: ReadCommand,
  signal: AbortSignal,
): Promise<ConversationState> {
  const threadId = await waitForRuns(ctx, scope, command, signal);
  const state = await ctx.conversations.readThread(scope.tenantId, threadId, {
    messages: command.messagesMax || MESSAGES_MAX,
    bytes: PAGE_BYTES_MAX,
    beforeMessageId: command.beforeMessageId,
  });
  if (state === undefined) throw invalid("before_message_id", "names no message of this conversation");
  return state;
}

export function isEnded(status: RunStatus): boolean {
  return status === "completed" || status === "failed";
}

/** Answers which conversation it is. Only its state is looked at meanwhile: its messages are read once, at the end. */
async function waitForRuns(
  ctx: { readonly conversations: ConversationStore; readonly runEnds: RunEnds },
  scope: ConversationScope,
  command: ReadCommand,
  signal: AbortSignal,
): Promise<string> {
  const until = performance.now() + command.waitMs;
  for (;;) {
    const thread = await ctx.conversations.findThread(scope, command);
    if (thread === undefined) {
      throw new RequestFault("not_found", "conversation_key: no such conversation; send-message creates it");
    }
    const { threadId, unfinished } = thread;
    const leftMs = until - performance.now();
    if (!unfinished || leftMs <= 0) return threadId;
    if (!(await ctx.runEnds.wait(scope.tenantId, threadId, leftMs, signal))) return threadId;
  }
}
