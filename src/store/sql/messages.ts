import type { Kysely } from "kysely";
import type { Message } from "../../domain/conversations/conversation.ts";
import type { Schema } from "./schema.ts";

/**
 * Messages of a conversation that are read, for a caller or for the assistant: the latest. With more, one conversation
 * that goes on for ever would make every read of it slower.
 */
const MESSAGES_MAX = 1_000;

export async function insertMessage(trx: Kysely<Schema>, message: Message): Promise<void> {
  await trx
    .insertInto("messages")
    .values({
      message_id: message.messageId,
      run_id: message.runId,
      role: message.role,
      parts: JSON.stringify(message.parts),
      created_at: message.createdAt,
    })
    .execute();
}

/**
 * The latest messages in the order of the conversation: by run, and in a run the question before the reply. A reply
 * may well be written after the next question, so the order of writing is not it. `upTo` leaves out later runs.
 */
export async function latestMessages(
  trx: Kysely<Schema>,
  threadId: string,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<Message[]> {
  const rows = await trx
    .selectFrom("runs")
    .innerJoin("messages", "messages.run_id", "runs.run_id")
    .select(["message_id", "messages.run_id", "role", "parts", "messages.created_at"])
    .where("runs.thread_id", "=", threadId)
    .where("runs.seq", "<=", upTo)
    .orderBy("runs.seq", "desc")
    .orderBy((eb) => eb("role", "=", "assistant"), "desc")
    .limit(MESSAGES_MAX)
    .execute();
  return rows.reverse().map((row) => ({
    messageId: row.message_id,
    runId: row.run_id,
    role: row.role,
    parts: row.parts,
    createdAt: row.created_at,
  }));
}
