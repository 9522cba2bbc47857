import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Message, MessageBound } from "../../../domain/conversations/conversation.ts";
import type { Schema } from "../schema.ts";

/** A place in a conversation: after the question of a run, or after its reply. */
export interface Place {
  readonly seq: number;
  readonly withReply: boolean;
}

/** The runs whose messages are read: all, or those that did not fail. */
type Shown = "all" | "without_failed";

/** After all messages. */
export const END: Place = { seq: Number.MAX_SAFE_INTEGER, withReply: true };

/** The database measures the parts: `bytes` is their length as it prints them, a little more than in a response. */
export async function insertMessage(
  trx: Kysely<Schema>,
  message: Omit<Message, "createdAt">,
  createdAt: RawBuilder<Date>,
): Promise<void> {
  await sql`
    insert into messages (message_id, run_id, role, parts, bytes, created_at)
    select ${message.messageId}, ${message.runId}, ${message.role}, parts, octet_length(parts::text), ${createdAt}
    from (select cast(${JSON.stringify(message.parts)} as jsonb) as parts) as sent`.execute(trx);
}

/**
 * Returns the latest messages up to a place, in the order of the conversation: by run, and within a run the question
 * before the reply. The order of writing would be wrong, because a reply may be written after the next question.
 *
 * The database bounds the messages in number and bytes; otherwise each read of an endless conversation would be slower
 * than the one before. It does not read the parts of messages that it does not return: for a thousand long ones that
 * took seconds. It reads one message more than wanted, to find out whether there are earlier ones.
 *
 * Each run has a message, so the same bound on runs is enough. Without it, a planner that expects a short conversation
 * reads all of it, and one without statistics, as in the embedded store, reads the messages of all tenants.
 */
export async function latestMessages(
  trx: Kysely<Schema>,
  tenantId: string,
  threadId: string,
  place: Place,
  bound: MessageBound,
  shown: Shown,
): Promise<{ messages: Message[]; hasEarlierMessages: boolean }> {
  const { rows } = await sql<MessageRow>`
    with latest as (
      select m.message_id, m.run_id, m.role, m.parts, m.created_at,
        row_number() over newest_first as place, count(*) over () as found,
        sum(m.bytes) over newest_first as bytes
      from (
        select m.*, r.seq
        from (
          select run_id, seq from runs
          where thread_id = ${threadOf(tenantId, threadId)} and seq <= ${place.seq}
            and (${shown === "all"} or status <> 'failed')
          order by seq desc
          limit ${bound.messages + 1}
        ) r join messages m on m.run_id = r.run_id
        where ${place.withReply} or r.seq < ${place.seq} or m.role = 'user'
        order by r.seq desc, (m.role = 'assistant') desc
        limit ${bound.messages + 1}
      ) m
      window newest_first as (order by m.seq desc, (m.role = 'assistant') desc)
    )
    select message_id, run_id, role, parts, created_at, found from latest
    where place <= ${bound.messages} and (place = 1 or bytes <= ${bound.bytes})
    order by place desc`.execute(trx);
  const messages = rows.map((row) => ({
    messageId: row.message_id,
    runId: row.run_id,
    role: row.role,
    parts: row.parts,
    createdAt: row.created_at,
  }));
  return { messages, hasEarlierMessages: (rows[0]?.found ?? 0) > messages.length };
}

/** The place before a message of the conversation; undefined if it has no such message. */
export async function placeBefore(
  trx: Kysely<Schema>,
  tenantId: string,
  threadId: string,
  messageId: string,
): Promise<Place | undefined> {
  const row = await trx
    .selectFrom("messages")
    .innerJoin("runs", "runs.run_id", "messages.run_id")
    .select(["runs.seq", "messages.role"])
    .where("message_id", "=", messageId)
    .where("thread_id", "=", threadOf(tenantId, threadId))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return row.role === "assistant" ? { seq: row.seq, withReply: false } : { seq: row.seq - 1, withReply: true };
}

/**
 * The conversation, if it belongs to the tenant. Callers have already found it under their tenant; this keeps a mistake
 * there from exposing another tenant's messages. The database evaluates it once per statement, before the rows.
 */
function threadOf(tenantId: string, threadId: string) {
  return sql<string>`(select thread_id from threads where thread_id = ${threadId} and tenant_id = ${tenantId})`;
}

interface MessageRow {
  readonly message_id: string;
  readonly run_id: string;
  readonly role: Message["role"];
  readonly parts: readonly string[];
  readonly created_at: Date;
  readonly found: number;
}
