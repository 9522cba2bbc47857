import { newId } from "../vocabulary/ids.ts";
import { faultOf } from "../vocabulary/request-fault.ts";
import type { EarlierMessage } from "./conversation.ts";
import type { ConversationStore } from "./conversation-store.ts";

/** Maximum number of bytes of UTF-8 in all parts of one message together. */
const MESSAGE_BYTES_MAX = 32_768;

/** A user's message, not validated yet. */
export interface SendCommand {
  readonly tenantId: string;
  /** Null: the tenant's own backend, without a user. */
  readonly userId: string | null;
  readonly conversationKey: string;
  readonly parts: readonly string[];
  /** The sender's own id for the message. Null: each call is a new message. */
  readonly clientMessageId: string | null;
}

/**
 * Stores a message and queues its run, both or neither, and returns the ids. A repeated `clientMessageId` stores nothing
 * and returns the ids of the first message.
 */
export async function sendMessage(
  ctx: { readonly conversations: ConversationStore },
  command: SendCommand,
): Promise<{ runId: string; messageId: string }> {
  checkParts(command.parts);
  const ids = { runId: newId("run"), messageId: newId("msg") };
  const earlier = await ctx.conversations.appendMessage({
    ...command,
    ...ids,
    threadId: newId("thr"),
  });
  return earlier === undefined ? ids : repeated(earlier, command);
}

function checkParts(parts: readonly string[]): void {
  const empty = parts.indexOf("");
  if (empty >= 0)
    throw faultOf("required", `user_message.content[${empty}].content`, "is required: the text of the part");
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  if (bytes > MESSAGE_BYTES_MAX) {
    throw faultOf(
      "message_too_large",
      "user_message.content",
      `must be at most ${MESSAGE_BYTES_MAX} bytes of UTF-8 in all, not ${bytes}`,
    );
  }
}

/** A different message with a used `clientMessageId` is the sender's mistake. Treated as a repetition, it would be lost. */
function repeated({ runId, messageId, ...earlier }: EarlierMessage, command: SendCommand) {
  const isSame =
    earlier.conversationKey === command.conversationKey &&
    earlier.parts.length === command.parts.length &&
    earlier.parts.every((part, index) => part === command.parts[index]);
  if (isSame) return { runId, messageId };
  throw faultOf(
    "client_message_id_reused",
    "client_message_id",
    "was used for another message before; name each message differently",
  );
}
