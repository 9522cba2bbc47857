import { type Kysely, type Selectable, sql } from "kysely";
import { conversationFull, UNFINISHED_MAX } from "../../../domain/conversations/backlog.ts";
import type {
  ConversationName,
  ConversationScope,
  ConversationState,
  EarlierMessage,
  FoundThread,
  MessagePage,
  NewMessage,
  Thread,
} from "../../../domain/conversations/conversation.ts";
import type { ConversationStore } from "../../../domain/conversations/conversation-store.ts";
import type { Clock } from "../../../domain/vocabulary/clock.ts";
import { codeOf } from "../../../domain/vocabulary/error-code.ts";
import type { Page, PageRequest } from "../../../domain/vocabulary/page.ts";
import { invalid, type RequestFault } from "../../../domain/vocabulary/request-fault.ts";
import type { KnownHistory } from "../../replicas/known-history.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { isStale, refuseStale } from "../driver/history.ts";
import { ofTenant } from "../driver/list-turns.ts";
import { givenInstant, type SqlNow, sqlMoment, sqlNow } from "../driver/now.ts";
import { type Listed, offsetOf, pageOf } from "../driver/paging.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import type { Schema } from "../schema.ts";
import { END, insertMessage, latestMessages, placeBefore } from "./messages.ts";
import { UNFINISHED } from "./run-queue.ts";

/**
 * The user id of conversations without a user. No user has an empty id, and a unique index does not compare nulls as
 * equal.
 */
const NO_USER = "";
/** SQLSTATE for a row whose entry in an index would be longer than a third of a page. */
const PROGRAM_LIMIT_EXCEEDED = "54000";

/** Conversations in SQL. The row of a run is its place in the queue. `clock` is for tests. */
export function createConversationStore(database: SqlDatabase, clock?: Clock): ConversationStore {
  const { db, lists } = database;
  const times = { now: sqlNow(clock), moment: sqlMoment(clock) };
  return {
    appendMessage: (message) => translateOutage(() => appendMessage(database, message, times)),
    listThreads: (scope, page) =>
      translateOutage(() => lists(ofTenant(scope.tenantId), (reader) => listThreads(reader, scope, page))),
    findThread: (scope, name) => translateOutage(() => findThread(db, scope, name)),
    readThread: (tenantId, threadId, page) => translateOutage(() => readThread(db, tenantId, threadId, page)),
    findUnfinished: (threadIds) => translateOutage(() => findUnfinished(db, threadIds)),
  };
}

interface Times {
  readonly now: SqlNow;
  readonly moment: SqlNow;
}

/**
 * Runs in one transaction:
 *
 * 1. Inserts the sender's id of the message. Of two concurrent requests with one id, the second waits here for the
 *    first, and then finds its message.
 * 2. Locks the row of the conversation, so that concurrent messages wait for each other. Runs then become visible in
 *    the order of their numbers; otherwise a worker could overtake a run that it cannot see. The message's time is
 *    taken under the lock, too: the start times of the transactions could contradict that order.
 */
async function appendMessage(
  database: SqlDatabase,
  message: NewMessage,
  times: Times,
): Promise<EarlierMessage | undefined> {
  const earlier = await database.db.transaction().execute(async (trx) => {
    const { clientMessageId } = message;
    if (clientMessageId !== null && !(await insertSentMessage(trx, database.history, message, clientMessageId))) {
      const sent = await findSentMessage(trx, message, clientMessageId);
      if (sent !== undefined) return sent;
      // It was removed between the two statements, so that the id is free again.
      if (!(await insertSentMessage(trx, database.history, message, clientMessageId)))
        throw new Error("an id names no stored message");
    }
    const thread = await lockThread(trx, message, times);
    await insertRun(trx, thread.thread_id, message, times.now);
    await insertMessage(trx, { ...message, role: "user" }, givenInstant(thread.updated_at));
    return undefined;
  });
  if (earlier === undefined) database.notify({ kind: "queued" });
  return earlier;
}

/** Returns false if the id is already used. Throws if the server may lack its use. */
async function insertSentMessage(
  trx: Kysely<Schema>,
  history: KnownHistory,
  message: NewMessage,
  clientMessageId: string,
): Promise<boolean> {
  const rows = await trx
    .insertInto("sent_messages")
    .values({
      tenant_id: message.tenantId,
      user_id: message.userId ?? NO_USER,
      client_message_id: clientMessageId,
      run_id: message.runId,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(isStale(history).as("is_stale"))
    .execute();
  refuseStale(rows);
  return rows.length > 0;
}

async function findSentMessage(
  trx: Kysely<Schema>,
  { tenantId, userId }: NewMessage,
  clientMessageId: string,
): Promise<EarlierMessage | undefined> {
  const row = await trx
    .selectFrom("sent_messages")
    .innerJoin("runs", "runs.run_id", "sent_messages.run_id")
    .innerJoin("threads", "threads.thread_id", "runs.thread_id")
    .innerJoin("messages", "messages.run_id", "runs.run_id")
    .select(["runs.run_id", "message_id", "conversation_key", "parts"])
    .where("sent_messages.tenant_id", "=", tenantId)
    .where("sent_messages.user_id", "=", userId ?? NO_USER)
    .where("client_message_id", "=", clientMessageId)
    .where("role", "=", "user")
    .executeTakeFirst();
  return (
    row && { runId: row.run_id, messageId: row.message_id, conversationKey: row.conversation_key, parts: row.parts }
  );
}

/**
 * Creates the conversation, or counts the message in it. Both lock its row until the commit. `updated_at` never moves
 * back. Throws `RequestFault` if tenant, user and conversation key together do not fit into one entry of an index.
 */
async function lockThread(
  trx: Kysely<Schema>,
  message: NewMessage,
  { now, moment }: Times,
): Promise<Pick<ThreadRow, "thread_id" | "updated_at">> {
  return trx
    .insertInto("threads")
    .values({
      thread_id: message.threadId,
      tenant_id: message.tenantId,
      user_id: message.userId ?? NO_USER,
      conversation_key: message.conversationKey,
      message_count: 1,
      created_at: now(),
      updated_at: now(),
    })
    .onConflict((conflict) =>
      conflict.columns(["tenant_id", "user_id", "conversation_key"]).doUpdateSet((eb) => ({
        message_count: eb("threads.message_count", "+", 1),
        updated_at: sql<Date>`greatest(${eb.ref("threads.updated_at")}, ${moment()})`,
      })),
    )
    .returning(["thread_id", "updated_at"])
    .executeTakeFirstOrThrow()
    .catch((err: unknown) => {
      throw codeOf(err) === PROGRAM_LIMIT_EXCEEDED ? namesTooLong() : err;
    });
}

/** Names the conversation key, because the caller can change neither tenant nor user. */
function namesTooLong(): RequestFault {
  return invalid(
    "conversation_key",
    "with the tenant and the user it takes more than 2,700 bytes, even compressed; use fewer characters outside of ASCII",
  );
}

/**
 * Throws if too many runs are waiting. Called under the conversation's lock, so that no two messages take the last
 * place.
 */
async function insertRun(trx: Kysely<Schema>, threadId: string, message: NewMessage, now: SqlNow): Promise<void> {
  const { rows } = await sql`
    insert into runs (run_id, thread_id, status, not_before, created_at, updated_at)
    select ${message.runId}, ${threadId}, 'queued', ${now()}, ${now()}, ${now()}
    where not exists (
      select from runs where thread_id = ${threadId} and status in (${sql.join(UNFINISHED)})
      limit 1 offset ${sql.lit(UNFINISHED_MAX - 1)}
    )
    returning run_id`.execute(trx);
  if (rows.length === 0) throw conversationFull();
}

async function listThreads(db: Kysely<Schema>, scope: ConversationScope, page: PageRequest): Promise<Page<Thread>> {
  const threads = threadsIn(db, scope);
  const counted = threads.select((eb) => eb.fn.countAll<number>().as("total"));
  const places = threads
    .select("thread_id")
    .orderBy("updated_at", "desc")
    .orderBy("thread_id", "desc")
    .limit(page.perPage)
    .offset(offsetOf(page));
  const rows = await db
    .selectFrom(counted.as("counted"))
    .leftJoin(places.as("places"), (join) => join.onTrue())
    .leftJoin("threads", "threads.thread_id", "places.thread_id")
    .select(["total", ...THREAD_COLUMNS])
    .orderBy("updated_at", "desc")
    .orderBy("threads.thread_id", "desc")
    .$castTo<Listed<ThreadRow, "thread_id">>()
    .execute();
  return pageOf(rows, (row) => (row.thread_id === null ? [] : [toThread(row)]));
}

const THREAD_COLUMNS = [
  "threads.thread_id",
  "conversation_key",
  "user_id",
  "message_count",
  "created_at",
  "updated_at",
] as const;

type ThreadRow = Omit<Selectable<Schema["threads"]>, "tenant_id">;

function toThread(row: ThreadRow): Thread {
  return {
    threadId: row.thread_id,
    conversationKey: row.conversation_key,
    userId: row.user_id === NO_USER ? null : row.user_id,
    messageCount: row.message_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The conversations that a caller may see. Every statement that reads conversations starts here. */
function threadsIn(db: Kysely<Schema>, scope: ConversationScope) {
  const threads = db.selectFrom("threads").where("tenant_id", "=", scope.tenantId);
  switch (scope.kind) {
    case "tenant":
      return threads;
    case "user":
      return threads.where("user_id", "=", scope.userId);
    default:
      return scope satisfies never;
  }
}

/**
 * With a tenant-wide scope, looks in two steps. The conversation without a user needs one look-up in an index, while a
 * hundred thousand users may each have a conversation of that key.
 */
async function findThread(
  db: Kysely<Schema>,
  scope: ConversationScope,
  name: ConversationName,
): Promise<FoundThread | undefined> {
  if (scope.kind === "tenant" && name.threadId === null) {
    const found = await latestThread(db, { ...scope, kind: "user", userId: NO_USER }, name);
    if (found !== undefined) return found;
  }
  return latestThread(db, scope, name);
}

async function latestThread(
  db: Kysely<Schema>,
  scope: ConversationScope,
  { conversationKey, threadId }: ConversationName,
): Promise<FoundThread | undefined> {
  const threads = threadsIn(db, scope).where("conversation_key", "=", conversationKey);
  const row = await (threadId === null ? threads : threads.where("thread_id", "=", threadId))
    .select((eb) => [
      "thread_id",
      eb
        .exists(
          eb
            .selectFrom("runs")
            .select("run_id")
            .whereRef("runs.thread_id", "=", "threads.thread_id")
            .where("status", "in", UNFINISHED),
        )
        .as("unfinished"),
    ])
    .orderBy("updated_at", "desc")
    .orderBy("thread_id", "desc")
    .limit(1)
    .executeTakeFirst();
  // Kysely's type of `exists` also covers SQLite's numbers; PostgreSQL returns booleans.
  return row && { threadId: row.thread_id, unfinished: Boolean(row.unfinished) };
}

/**
 * Reads from one snapshot, so that a completed run never lacks its reply. PGlite ignores the isolation level, but runs
 * nothing else during a transaction.
 */
async function readThread(
  db: Kysely<Schema>,
  tenantId: string,
  threadId: string,
  page: MessagePage,
): Promise<ConversationState | undefined> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => {
      const { beforeMessageId } = page;
      const place = beforeMessageId === null ? END : await placeBefore(trx, tenantId, threadId, beforeMessageId);
      if (place === undefined) return undefined;
      const latest = await findLatestRun(trx, tenantId, threadId);
      if (latest === undefined) return undefined;
      const messages = await latestMessages(trx, tenantId, threadId, place, page, "all");
      return { ...latest, ...messages };
    });
}

async function findLatestRun(
  trx: Kysely<Schema>,
  tenantId: string,
  threadId: string,
): Promise<Pick<ConversationState, "conversationKey" | "latestRun"> | undefined> {
  const row = await trx
    .selectFrom("runs")
    .innerJoin("threads", "threads.thread_id", "runs.thread_id")
    .select(["conversation_key", "run_id", "status", "error", "prompt_tokens", "completion_tokens", "finish_reason"])
    .where("tenant_id", "=", tenantId)
    .where("runs.thread_id", "=", threadId)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = row;
  const usage = promptTokens === null || completionTokens === null ? null : { promptTokens, completionTokens };
  const { run_id: runId, status, error, finish_reason: finishReason } = row;
  return { conversationKey: row.conversation_key, latestRun: { runId, status, error, usage, finishReason } };
}

async function findUnfinished(db: Kysely<Schema>, threadIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (threadIds.length === 0) return new Set();
  const rows = await db
    .selectFrom("runs")
    .select("thread_id")
    .distinct()
    .where("thread_id", "in", threadIds)
    .where("status", "in", UNFINISHED)
    .execute();
  return new Set(rows.map((row) => row.thread_id));
}
