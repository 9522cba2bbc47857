import { newId } from "../ids.ts";
import type { Clock, ConversationStore } from "../ports.ts";
import { invalid } from "../request-fault.ts";

/** Most bytes of UTF-8 in all parts of one message together. */
const MESSAGE_BYTES_MAX = 32_768;

/** A user's message as it comes in. */
export interface SendCommand {
  readonly tenantId: string;
  /** Null: nobody's, that is the tenant's own backend. */
  readonly userId: string | null;
  readonly conversationKey: string;
  readonly parts: readonly string[];
}

/** Stores a message and queues its run, both or neither, and says which run will answer it. */
export async function sendMessage(
  ctx: { readonly conversations: ConversationStore; readonly clock: Clock },
  command: SendCommand,
): Promise<{ runId: string; messageId: string }> {
  checkParts(command.parts);
  const ids = { runId: newId("run"), messageId: newId("msg") };
  await ctx.conversations.appendMessage({
    ...ids,
    tenantId: command.tenantId,
    userId: command.userId ?? "",
    conversationKey: command.conversationKey,
    threadId: newId("thr"),
    parts: command.parts,
    createdAt: ctx.clock(),
  });
  return ids;
}

function checkParts(parts: readonly string[]): void {
  const empty = parts.indexOf("");
  if (empty >= 0) throw invalid(`user_message.content[${empty}].content`, "is required: the text of the part");
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  if (bytes > MESSAGE_BYTES_MAX) {
    throw invalid("user_message.content", `must be at most ${MESSAGE_BYTES_MAX} bytes of UTF-8 in all, not ${bytes}`);
  }
}
