import { type Kysely, type RawBuilder, sql } from "kysely";
import type {
  ClaimedRun,
  MessageBound,
  NewReply,
  RunLease,
  RunRelease,
  RunStatus,
} from "../../../domain/conversations/conversation.ts";
import type { RunQueue, UnfinishedRuns, UnfinishedState } from "../../../domain/conversations/conversation-store.ts";
import type { Clock } from "../../../domain/vocabulary/clock.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { SERVICE } from "../driver/list-turns.ts";
import { commitLocally } from "../driver/local-commit.ts";
import { plusMs, type SqlNow, sqlNow } from "../driver/now.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import type { Schema } from "../schema.ts";
import { insertMessage, latestMessages } from "./messages.ts";

/** Literals, not parameters: only with literals does every plan use the index of unfinished runs. */
export const UNFINISHED = [sql.lit<RunStatus>("queued"), sql.lit<RunStatus>("running")];

/**
 * Twice the longest pause. A time that is further ahead, and by a lease more, was written before the database's clock
 * was set back, or by a server whose clock was ahead. It is ignored, because the conversation would wait until the
 * clock reaches it.
 */
const AHEAD_MS_MAX = 120_000;

/** The queue in SQL: it consists of the rows of the unfinished runs. `clock` is for tests. */
export function createRunQueue(database: SqlDatabase, clock?: Clock): RunQueue {
  const { internal } = database;
  const now = sqlNow(clock);
  return {
    claimRun: (lease, reads) =>
      translateOutage(() => commitLocally(internal, (trx) => claimRun(trx, lease, reads, now))),
    extendLease: (runId, leaseToken, leaseMs) =>
      translateOutage(() =>
        commitLocally(internal, (trx) => extendLease(trx, runId, leaseToken, plusMs(now(), leaseMs))),
      ),
    completeRun: (runId, leaseToken, reply) =>
      translateOutage(() => completeRun(database, runId, leaseToken, reply, now)),
    failRun: (runId, leaseToken, error) => translateOutage(() => failRun(database, runId, leaseToken, error, now)),
    releaseRun: (runId, leaseToken, release) =>
      translateOutage(() => releaseRun(database, runId, leaseToken, release, now)),
    countUnfinished: () => translateOutage(() => database.lists(SERVICE, (reader) => countUnfinished(reader, now))),
  };
}

/** Reads the index of unfinished runs. On the connections for lists: with a long queue it takes a moment. */
async function countUnfinished(db: Kysely<Schema>, now: SqlNow): Promise<UnfinishedRuns[]> {
  return db
    .selectFrom("runs")
    .where("status", "in", UNFINISHED)
    .select((eb) => [
      sql<UnfinishedState>`case when status = 'queued' and not_before > ${now()} then 'retrying' else status end`.as(
        "state",
      ),
      eb.fn.countAll<number>().as("count"),
      sql<number>`greatest(0, extract(epoch from ${now()} - min(created_at)))::float8`.as("oldestSeconds"),
    ])
    .groupBy("state")
    .execute();
}

/**
 * Runs in one transaction, so that a run is not claimed if its history cannot be read. The history leaves out the
 * messages of failed runs. Their senders were asked to send them again, so the assistant would get both; and a message
 * that made it fail once could make it fail with every later message.
 */
async function claimRun(
  trx: Kysely<Schema>,
  lease: RunLease,
  reads: MessageBound,
  now: SqlNow,
): Promise<ClaimedRun | undefined> {
  const run = await leaseNextRun(trx, lease, now);
  if (run === undefined) return undefined;
  const place = { seq: run.seq, withReply: false };
  const { messages } = await latestMessages(trx, run.tenant_id, run.thread_id, place, reads, "without_failed");
  return {
    runId: run.run_id,
    threadId: run.thread_id,
    leaseToken: lease.token,
    elapsedMs: run.elapsedMs,
    failures: run.failures,
    interruptions: run.attempts - 1 - run.failures,
    history: messages.map(({ role, parts }) => ({ role, parts })),
  };
}

/**
 * Claims the oldest run that is due. With `skip locked`, workers do not wait for each other. Only the first unfinished
 * run of a conversation is a candidate, even while another worker is claiming it, because it is still unfinished then.
 * An index finds that run, so this stays cheap when one conversation has thousands of runs waiting.
 */
async function leaseNextRun(trx: Kysely<Schema>, lease: RunLease, now: SqlNow) {
  const tooFarAhead = plusMs(now(), AHEAD_MS_MAX + lease.leaseMs);
  return trx
    .updateTable("runs")
    .set((eb) => ({
      status: "running",
      attempts: eb("attempts", "+", 1),
      lease_token: lease.token,
      lease_until: plusMs(now(), lease.leaseMs),
      // A run that was running has lost its worker, and begins again.
      started_at: sql<Date>`case when status = 'queued' then coalesce(started_at, ${now()}) else ${now()} end`,
      updated_at: now(),
    }))
    .where("run_id", "=", (eb) =>
      eb
        .selectFrom("runs as due")
        .select("due.run_id")
        .where("due.status", "in", UNFINISHED)
        .where((due) => due.or([due("due.not_before", "<=", now()), due("due.not_before", ">", tooFarAhead)]))
        .where((due) =>
          due.or([
            due("due.status", "=", "queued"),
            due("due.lease_until", "<", now()),
            due("due.lease_until", ">", tooFarAhead),
          ]),
        )
        .where("due.seq", "=", (due) =>
          due
            .selectFrom("runs as first")
            .select("first.seq")
            .whereRef("first.thread_id", "=", "due.thread_id")
            .where("first.status", "in", UNFINISHED)
            .orderBy("first.seq")
            .limit(1),
        )
        .orderBy("due.seq")
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(["run_id", "thread_id", "seq", "attempts", "failures", TENANT_ID])
    .returning(sql<number>`greatest(0, extract(epoch from ${now()} - started_at) * 1000)::float8`.as("elapsedMs"))
    .executeTakeFirst();
}

const TENANT_ID = sql<string>`(select tenant_id from threads where threads.thread_id = runs.thread_id)`.as("tenant_id");

async function extendLease(
  db: Kysely<Schema>,
  runId: string,
  leaseToken: string,
  until: RawBuilder<Date>,
): Promise<boolean> {
  const run = await underLease(db, runId, leaseToken)
    .set({ lease_until: until })
    .returning("run_id")
    .executeTakeFirst();
  return run !== undefined;
}

/** Runs in one transaction: the run ends under its own lease or nothing is written, so that a reply is stored once. */
async function completeRun(
  database: SqlDatabase,
  runId: string,
  leaseToken: string,
  reply: NewReply,
  now: SqlNow,
): Promise<boolean> {
  const run = await database.db.transaction().execute(async (trx) => {
    const completed = await underLease(trx, runId, leaseToken)
      .set({
        status: "completed",
        lease_token: null,
        lease_until: null,
        prompt_tokens: reply.usage?.promptTokens ?? null,
        completion_tokens: reply.usage?.completionTokens ?? null,
        finish_reason: reply.finishReason,
        updated_at: now(),
      })
      .returning("thread_id")
      .executeTakeFirst();
    if (completed === undefined) return undefined;
    await insertMessage(trx, { ...reply, runId, role: "assistant" }, now());
    await countReply(trx, completed.thread_id, now);
    return completed;
  });
  if (run === undefined) return false;
  database.notify({ kind: "ended", threadId: run.thread_id });
  return true;
}

async function failRun(
  database: SqlDatabase,
  runId: string,
  leaseToken: string,
  error: string,
  now: SqlNow,
): Promise<boolean> {
  const run = await underLease(database.db, runId, leaseToken)
    .set({
      status: "failed",
      error,
      failures: sql<number>`failures + 1`,
      lease_token: null,
      lease_until: null,
      updated_at: now(),
    })
    .returning("thread_id")
    .executeTakeFirst();
  if (run === undefined) return false;
  database.notify({ kind: "ended", threadId: run.thread_id });
  return true;
}

async function releaseRun(
  database: SqlDatabase,
  runId: string,
  leaseToken: string,
  { because, pauseMs }: RunRelease,
  now: SqlNow,
): Promise<boolean> {
  const run = await commitLocally(database.internal, (trx) =>
    underLease(trx, runId, leaseToken)
      .set({
        status: "queued",
        lease_token: null,
        lease_until: null,
        not_before: plusMs(now(), pauseMs),
        ...(because === "failure"
          ? { failures: sql<number>`failures + 1` }
          : { attempts: sql<number>`attempts - 1`, started_at: null }),
      })
      .returning("run_id")
      .executeTakeFirst(),
  );
  if (run === undefined) return false;
  if (pauseMs === 0) database.notify({ kind: "queued" });
  return true;
}

/** Updates a run only for the holder of its lease. An expired lease is valid until another worker claims the run. */
function underLease(db: Kysely<Schema>, runId: string, leaseToken: string) {
  return db
    .updateTable("runs")
    .where("run_id", "=", runId)
    .where("status", "=", "running")
    .where("lease_token", "=", leaseToken);
}

async function countReply(trx: Kysely<Schema>, threadId: string, now: SqlNow): Promise<void> {
  await trx
    .updateTable("threads")
    .set((eb) => ({
      message_count: eb("message_count", "+", 1),
      updated_at: sql<Date>`greatest(${eb.ref("updated_at")}, ${now()})`,
    }))
    .where("thread_id", "=", threadId)
    .execute();
}
