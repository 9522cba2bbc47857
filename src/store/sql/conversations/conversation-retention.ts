import { type Kysely, sql } from "kysely";
import type { ConversationRetention } from "../../../domain/conversations/conversation-store.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { commitLocally } from "../driver/local-commit.ts";
import { givenInstant } from "../driver/now.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import type { Schema } from "../schema.ts";
import { ENDED, RUNS_AT_ONCE, removeRuns } from "./run-removal.ts";

/** Removes old messages in SQL, so many runs in one piece. Must not run within a transaction. */
export function createConversationRetention(
  { internal }: Pick<SqlDatabase, "internal">,
  runsAtOnce = RUNS_AT_ONCE,
): ConversationRetention {
  return {
    removeBefore: (instant) =>
      translateOutage(() => commitLocally(internal, (trx) => removeRunsBefore(trx, instant, runsAtOnce))),
  };
}

/**
 * A run's age is that of its message: its reply is younger. Rows that another session has locked are left to the next piece, so
 * a piece of which all are locked is the last one of its pass.
 */
async function removeRunsBefore(trx: Kysely<Schema>, instant: Date, runsAtOnce: number): Promise<boolean> {
  const threadIds = await lockThreads(trx, instant, runsAtOnce);
  if (threadIds.length === 0) return false;
  const runs = await trx
    .selectFrom("runs")
    .select("run_id")
    .where("thread_id", "in", threadIds)
    .where("status", "in", ENDED)
    .where("created_at", "<", givenInstant(instant))
    .orderBy("created_at")
    .limit(runsAtOnce)
    .forUpdate()
    .skipLocked()
    .execute();
  if (runs.length === 0) return false;
  const runIds = runs.map(({ run_id }) => run_id);
  await discountMessages(trx, runIds);
  await removeRuns(trx, threadIds, runIds);
  return true;
}

/** The conversations of the oldest runs. */
async function lockThreads(trx: Kysely<Schema>, instant: Date, runsAtOnce: number): Promise<readonly string[]> {
  const rows = await trx
    .selectFrom("threads")
    .select("thread_id")
    .where("thread_id", "in", ({ selectFrom }) =>
      selectFrom(
        selectFrom("runs")
          .select("thread_id")
          .where("status", "in", ENDED)
          .where("created_at", "<", givenInstant(instant))
          .orderBy("created_at")
          .limit(runsAtOnce)
          .as("oldest"),
      ).select("oldest.thread_id"),
    )
    .forUpdate()
    .skipLocked()
    .execute();
  return rows.map(({ thread_id }) => thread_id);
}

/** Keeps the number of a conversation's messages true. */
async function discountMessages(trx: Kysely<Schema>, runIds: readonly string[]): Promise<void> {
  await sql`
    update threads set message_count = message_count - counted.messages
    from (
      select runs.thread_id, count(*)::int as messages
      from runs join messages on messages.run_id = runs.run_id
      where runs.run_id in (${sql.join(runIds)})
      group by runs.thread_id
    ) as counted
    where threads.thread_id = counted.thread_id`.execute(trx);
}
