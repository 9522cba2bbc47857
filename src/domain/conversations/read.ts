import { faultOf, type RequestFault } from "../vocabulary/request-fault.ts";
import type { ConversationName, ConversationScope, ConversationState, RunStatus } from "./conversation.ts";
import type { ConversationStore, RunEnds } from "./conversation-store.ts";

/** Maximum number of messages of a page; also the default. */
const MESSAGES_MAX = 1_000;
/** Maximum number of bytes of a page's messages. Without it, 1,000 messages of 32 KiB would make an answer of 32 MiB. */
const PAGE_BYTES_MAX = 1_048_576;

/** What to read of a conversation, and how long to wait for a run of it. */
export interface ReadCommand extends ConversationName {
  /** 0: return at once. */
  readonly waitMs: number;
  /** 0: the most that a page may have. */
  readonly messagesMax: number;
  readonly beforeMessageId: string | null;
}

interface ReadContext {
  readonly conversations: ConversationStore;
  readonly runEnds: RunEnds;
}

/** Reads a conversation, at once or, with `waitMs`, as soon as no run of it is unfinished. */
export async function readConversation(
  ctx: ReadContext,
  scope: ConversationScope,
  command: ReadCommand,
  signal: AbortSignal,
): Promise<ConversationState> {
  const until = performance.now() + command.waitMs;
  const { threadId, unfinished } = await findThread(ctx, scope, command);
  if (!unfinished || command.waitMs === 0) return readThread(ctx, scope, threadId, command);
  await waitForRuns(ctx, scope, { ...command, threadId }, until, signal);
  return ctx.runEnds.reads.take(() => readThread(ctx, scope, threadId, command));
}

export function isEnded(status: RunStatus): boolean {
  return status === "completed" || status === "failed";
}

/** Checks only for unfinished runs. The messages are read once, at the end. */
async function waitForRuns(
  ctx: ReadContext,
  scope: ConversationScope,
  name: ConversationName & { readonly threadId: string },
  until: number,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const leftMs = until - performance.now();
    if (leftMs <= 0 || !(await ctx.runEnds.wait(scope.tenantId, name.threadId, leftMs, signal))) return;
    const { unfinished } = await ctx.runEnds.reads.take(() => findThread(ctx, scope, name));
    if (!unfinished) return;
  }
}

async function findThread(ctx: ReadContext, scope: ConversationScope, name: ConversationName) {
  const thread = await ctx.conversations.findThread(scope, name);
  if (thread !== undefined) return thread;
  throw noConversation(name);
}

function noConversation({ threadId }: ConversationName): RequestFault {
  return threadId === null
    ? faultOf("conversation_not_found", "conversation_key", "no such conversation; send-message creates it")
    : faultOf(
        "conversation_not_found",
        "thread_id",
        "no such conversation of this conversation_key; take both from list-threads",
      );
}

async function readThread(
  ctx: ReadContext,
  { tenantId }: ConversationScope,
  threadId: string,
  command: ReadCommand,
): Promise<ConversationState> {
  const { messagesMax, beforeMessageId } = command;
  const page = { messages: messagesMax || MESSAGES_MAX, bytes: PAGE_BYTES_MAX, beforeMessageId };
  const state = await ctx.conversations.readThread(tenantId, threadId, page);
  if (state !== undefined) return state;
  // It was found before, and may have been removed since.
  if (beforeMessageId === null) throw noConversation(command);
  throw faultOf(
    "unknown_message",
    "before_message_id",
    "names no message of this conversation; take it from next_before_message_id",
  );
}
