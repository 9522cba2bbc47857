import { type Kysely, sql } from "kysely";
import type { ClaimedRun, RunStatus } from "../../domain/conversations/conversation.ts";
import { insertMessage, latestMessages } from "./messages.ts";
import type { Schema } from "./schema.ts";

interface Reply {
  readonly messageId: string;
  readonly parts: readonly string[];
  readonly createdAt: Date;
}

/** Literals, not parameters: only with them does every plan find the index of unfinished runs. */
const UNFINISHED = [sql.lit<RunStatus>("queued"), sql.lit<RunStatus>("running")];

/** One transaction, so that a run whose history could not be read is not taken. */
export async function claimRun(
  db: Kysely<Schema>,
  lease: { token: string; now: Date; until: Date },
): Promise<ClaimedRun | undefined> {
  return db.transaction().execute(async (trx) => {
    const run = await leaseNextRun(trx, lease);
    if (run === undefined) return undefined;
    const messages = await latestMessages(trx, run.thread_id, run.seq);
    const history = messages.map(({ role, parts }) => ({ role, parts }));
    return { runId: run.run_id, leaseToken: lease.token, attempt: run.attempts, history };
  });
}

/**
 * Takes the oldest run that is due. `skip locked` keeps workers out of each other's way. Only the first unfinished run
 * of a conversation is ever a candidate: while another worker is taking it, those behind it still see it unfinished. The
 * first is looked up in its index, which stays cheap when one conversation has thousands of messages waiting.
 */
async function leaseNextRun(trx: Kysely<Schema>, lease: { token: string; now: Date; until: Date }) {
  return trx
    .updateTable("runs")
    .set((eb) => ({
      status: "running",
      attempts: eb("attempts", "+", 1),
      lease_token: lease.token,
      lease_until: lease.until,
      updated_at: lease.now,
    }))
    .where("run_id", "=", (eb) =>
      eb
        .selectFrom("runs as due")
        .select("due.run_id")
        .where("due.status", "in", UNFINISHED)
        .where("due.not_before", "<=", lease.now)
        .where((due) => due.or([due("due.status", "=", "queued"), due("due.lease_until", "<", lease.now)]))
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
    .returning(["run_id", "thread_id", "seq", "attempts"])
    .executeTakeFirst();
}

export async function extendLease(
  db: Kysely<Schema>,
  runId: string,
  leaseToken: string,
  until: Date,
): Promise<boolean> {
  const run = await underLease(db, runId, leaseToken)
    .set({ lease_until: until })
    .returning("run_id")
    .executeTakeFirst();
  return run !== undefined;
}

/** One transaction: the run ends under its own lease or nothing is written, so that a reply is stored once. */
export async function completeRun(
  db: Kysely<Schema>,
  runId: string,
  leaseToken: string,
  reply: Reply,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const run = await underLease(trx, runId, leaseToken)
      .set({ status: "completed", lease_token: null, lease_until: null, updated_at: reply.createdAt })
      .returning("thread_id")
      .executeTakeFirst();
    if (run === undefined) return false;
    await insertMessage(trx, { ...reply, runId, role: "assistant" });
    await countReply(trx, run.thread_id, reply.createdAt);
    return true;
  });
}

export async function failRun(
  db: Kysely<Schema>,
  runId: string,
  leaseToken: string,
  failure: { error: string; at: Date },
): Promise<boolean> {
  const run = await underLease(db, runId, leaseToken)
    .set({
      status: "failed",
      error: failure.error,
      lease_token: null,
      lease_until: null,
      updated_at: failure.at,
    })
    .returning("run_id")
    .executeTakeFirst();
  return run !== undefined;
}

export async function releaseRun(
  db: Kysely<Schema>,
  runId: string,
  leaseToken: string,
  notBefore: Date,
): Promise<boolean> {
  const run = await underLease(db, runId, leaseToken)
    .set({ status: "queued", lease_token: null, lease_until: null, not_before: notBefore })
    .returning("run_id")
    .executeTakeFirst();
  return run !== undefined;
}

/** A run as only the holder of its lease may change it. A lease that ran out is still held until someone takes it. */
function underLease(db: Kysely<Schema>, runId: string, leaseToken: string) {
  return db
    .updateTable("runs")
    .where("run_id", "=", runId)
    .where("status", "=", "running")
    .where("lease_token", "=", leaseToken);
}

async function countReply(trx: Kysely<Schema>, threadId: string, at: Date): Promise<void> {
  await trx
    .updateTable("threads")
    .set((eb) => ({
      message_count: eb("message_count", "+", 1),
      updated_at: sql<Date>`greatest(${eb.ref("updated_at")}, ${at})`,
    }))
    .where("thread_id", "=", threadId)
    .execute();
}
