import { type Kysely, sql } from "kysely";
import type {
  ConversationScope,
  ConversationState,
  NewMessage,
  Run,
  Thread,
} from "../../domain/conversations/conversation.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import type { ConversationStore } from "../../domain/ports.ts";
import type { SqlDatabase } from "./database.ts";
import { guard } from "./errors.ts";
import { insertMessage, latestMessages } from "./messages.ts";
import { offsetOf } from "./paging.ts";
import { claimRun, completeRun, extendLease, failRun, releaseRun } from "./run-queue.ts";
import type { Schema } from "./schema.ts";

/** Conversations in SQL; a run's row is its place in the queue. */
export function createConversationStore({ db }: SqlDatabase): ConversationStore {
  return {
    appendMessage: (message) => guard(() => appendMessage(db, message)),
    listThreads: (scope, page) => guard(() => listThreads(db, scope, page)),
    findConversation: (scope, conversationKey) => guard(() => findConversation(db, scope, conversationKey)),
    claimRun: (lease) => guard(() => claimRun(db, lease)),
    extendLease: (runId, leaseToken, until) => guard(() => extendLease(db, runId, leaseToken, until)),
    completeRun: (runId, leaseToken, reply) => guard(() => completeRun(db, runId, leaseToken, reply)),
    failRun: (runId, leaseToken, failure) => guard(() => failRun(db, runId, leaseToken, failure)),
    releaseRun: (runId, leaseToken, notBefore) => guard(() => releaseRun(db, runId, leaseToken, notBefore)),
  };
}

/**
 * One transaction. The conversation comes first: its row lock makes messages sent at once wait for each other, so that
 * the runs' numbers are in the order in which they become visible. A worker could otherwise overtake a run it cannot see.
 */
async function appendMessage(db: Kysely<Schema>, message: NewMessage): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const threadId = await lockThread(trx, message);
    await insertRun(trx, threadId, message);
    await insertMessage(trx, { ...message, role: "user" });
  });
}

/** Makes the conversation or counts the message in it; either way its row stays locked until the commit. */
async function lockThread(trx: Kysely<Schema>, message: NewMessage): Promise<string> {
  const { thread_id } = await trx
    .insertInto("threads")
    .values({
      thread_id: message.threadId,
      tenant_id: message.tenantId,
      user_id: message.userId,
      conversation_key: message.conversationKey,
      message_count: 1,
      created_at: message.createdAt,
      updated_at: message.createdAt,
    })
    .onConflict((conflict) =>
      conflict.columns(["tenant_id", "user_id", "conversation_key"]).doUpdateSet((eb) => ({
        message_count: eb("threads.message_count", "+", 1),
        updated_at: sql<Date>`greatest(${eb.ref("threads.updated_at")}, ${eb.ref("excluded.updated_at")})`,
      })),
    )
    .returning("thread_id")
    .executeTakeFirstOrThrow();
  return thread_id;
}

async function insertRun(trx: Kysely<Schema>, threadId: string, message: NewMessage): Promise<void> {
  await trx
    .insertInto("runs")
    .values({
      run_id: message.runId,
      thread_id: threadId,
      status: "queued",
      not_before: message.createdAt,
      created_at: message.createdAt,
      updated_at: message.createdAt,
    })
    .execute();
}

async function listThreads(db: Kysely<Schema>, scope: ConversationScope, page: PageRequest): Promise<Page<Thread>> {
  const threads = threadsIn(db, scope);
  const { total } = await threads.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  const rows = await threads
    .select(["thread_id", "conversation_key", "user_id", "message_count", "created_at", "updated_at"])
    .orderBy("updated_at", "desc")
    .orderBy("thread_id", "desc")
    .limit(page.perPage)
    .offset(offsetOf(page))
    .execute();
  const items = rows.map((row) => ({
    threadId: row.thread_id,
    conversationKey: row.conversation_key,
    userId: row.user_id,
    messageCount: row.message_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
  return { items, total };
}

/** The conversations a caller may see: every statement that reads one starts here. */
function threadsIn(db: Kysely<Schema>, { tenantId, userId }: ConversationScope) {
  const threads = db.selectFrom("threads").where("tenant_id", "=", tenantId);
  return userId === null ? threads : threads.where("user_id", "=", userId);
}

/**
 * Reads from one snapshot, so that a run shown as completed never lacks its reply. (PGlite ignores the isolation level,
 * but runs nothing else during a transaction.)
 */
async function findConversation(
  db: Kysely<Schema>,
  scope: ConversationScope,
  conversationKey: string,
): Promise<ConversationState | undefined> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => {
      const threadId = await findThread(trx, scope, conversationKey);
      if (threadId === undefined) return undefined;
      const latestRun = await findLatestRun(trx, threadId);
      return { conversationKey, latestRun, messages: await latestMessages(trx, threadId) };
    });
}

async function findThread(
  trx: Kysely<Schema>,
  scope: ConversationScope,
  conversationKey: string,
): Promise<string | undefined> {
  const row = await threadsIn(trx, scope)
    .select("thread_id")
    .where("conversation_key", "=", conversationKey)
    .orderBy((eb) => eb("user_id", "=", ""), "desc")
    .orderBy("updated_at", "desc")
    .orderBy("thread_id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.thread_id;
}

async function findLatestRun(trx: Kysely<Schema>, threadId: string): Promise<Run> {
  const row = await trx
    .selectFrom("runs")
    .select(["run_id", "status", "error"])
    .where("thread_id", "=", threadId)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();
  return { runId: row.run_id, status: row.status, error: row.error };
}
