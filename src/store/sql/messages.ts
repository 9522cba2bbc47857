import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Message, MessageBound } from "../../domain/conversations/conversation.ts";
import type { Schema } from "./schema.ts";

/** A place in a conversation: up to the question of a run, or up to its reply. */
export interface Place {
  readonly seq: number;
  readonly withReply: boolean;
}

/** Whose messages are read: of all runs, or of those that did not fail. */
type Shown = "all" | "without_failed";

/** Behind all messages. */
export const END: Place = { seq: Number.MAX_SAFE_INTEGER, withReply: true };

/** The database measures the parts: `bytes` is their length as it prints them, a little more than they are sent with. */
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
 * The latest messages up to a place, in the order of the conversation: by run, and in a run the question before the
 * reply. A reply may well be written after the next question, so the order of writing is not it.
 *
 * Bounded in number and bytes by the database: one conversation that goes on for ever would otherwise make every read of
 * it slower. The parts of messages that are not returned are not read: of a thousand long ones it would take seconds. One
 * message more than wanted is looked at, to know whether there are earlier ones. Each run has a message, so that as many
 * runs are enough. Without that bound a planner that takes the conversation for a short one reads all of it, and one that
 * has no statistics, as in the embedded store, the messages of all tenants.
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
        sum(coalesce(m.bytes, octet_length(m.parts::text))) over newest_first as bytes
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
 * The conversation, if it is the tenant's. Callers have found it under their tenant; a mistake there must not show
 * another's messages. Looked up once for a statement, before its rows.
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
