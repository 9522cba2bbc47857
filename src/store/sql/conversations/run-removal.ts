import { type Kysely, sql } from "kysely";
import type { RunStatus } from "../../../domain/conversations/conversation.ts";
import type { Removed } from "../../../domain/erasures/erasure.ts";
import type { Schema } from "../schema.ts";

/** Maximum number of conversations and runs of one piece. A run has two messages at most, each of some 32 KiB. */
export const THREADS_AT_ONCE = 100;
export const RUNS_AT_ONCE = 500;

/** Literals, not parameters: only with literals does every plan use the index of ended runs. */
export const ENDED = [sql.lit<RunStatus>("completed"), sql.lit<RunStatus>("failed")];

/**
 * Removes runs with their messages and their senders' ids of them, and then conversations that have no run left. The callers
 * hold the locks of the conversations and of the runs. Both are taken with `skip locked`, first those of conversations: a
 * completion locks its run and then its conversation, so that waiting for both would be a deadlock.
 *
 * While a conversation is locked, no message is added to it (`appendMessage`), so that one without runs stays without.
 */
export async function removeRuns(
  trx: Kysely<Schema>,
  threadIds: readonly string[],
  runIds: readonly string[],
): Promise<Removed> {
  const ofRuns = runIds.length === 0 ? {} : await removeRunRows(trx, runIds);
  return { ...ofRuns, conversations: threadIds.length === 0 ? 0 : await removeEmptyThreads(trx, threadIds) };
}

async function removeRunRows(trx: Kysely<Schema>, runIds: readonly string[]): Promise<Removed> {
  const sent = await trx.deleteFrom("sent_messages").where("run_id", "in", runIds).executeTakeFirstOrThrow();
  const messages = await trx.deleteFrom("messages").where("run_id", "in", runIds).executeTakeFirstOrThrow();
  const runs = await trx.deleteFrom("runs").where("run_id", "in", runIds).executeTakeFirstOrThrow();
  return {
    client_message_ids: Number(sent.numDeletedRows),
    messages: Number(messages.numDeletedRows),
    runs: Number(runs.numDeletedRows),
  };
}

async function removeEmptyThreads(trx: Kysely<Schema>, threadIds: readonly string[]): Promise<number> {
  const removed = await trx
    .deleteFrom("threads")
    .where("thread_id", "in", threadIds)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("runs").select("run_id").whereRef("runs.thread_id", "=", "threads.thread_id"))),
    )
    .executeTakeFirstOrThrow();
  return Number(removed.numDeletedRows);
}
