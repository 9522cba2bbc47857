import type { Kysely } from "kysely";
import type { ErasureTarget, Removed } from "../../../domain/erasures/erasure.ts";
import { RUNS_AT_ONCE, removeRuns, THREADS_AT_ONCE } from "../conversations/run-removal.ts";
import type { Schema } from "../schema.ts";
import type { FindPiece } from "./erasure-piece.ts";

/** Conversations with all their runs, also unfinished ones: a worker that has one loses its lease. */
export const findConversations: FindPiece<ErasureTarget> = async (db, target) => {
  const row = await threadsOf(db, target).select("thread_id").limit(1).executeTakeFirst();
  return row && { subjects: [], remove: (trx) => removeConversations(trx, target) };
};

function threadsOf(db: Kysely<Schema>, target: ErasureTarget) {
  const threads = db.selectFrom("threads").where("tenant_id", "=", target.tenantId);
  switch (target.kind) {
    case "tenant":
      return threads;
    case "user":
      return threads.where("user_id", "=", target.userId);
    default:
      return target satisfies never;
  }
}

async function removeConversations(trx: Kysely<Schema>, target: ErasureTarget): Promise<Removed> {
  const threads = await threadsOf(trx, target)
    .select("thread_id")
    .limit(THREADS_AT_ONCE)
    .forUpdate()
    .skipLocked()
    .execute();
  const threadIds = threads.map(({ thread_id }) => thread_id);
  if (threadIds.length === 0) return {};
  const runs = await trx
    .selectFrom("runs")
    .select("run_id")
    .where("thread_id", "in", threadIds)
    .limit(RUNS_AT_ONCE)
    .forUpdate()
    .skipLocked()
    .execute();
  const runIds = runs.map(({ run_id }) => run_id);
  return removeRuns(trx, threadIds, runIds);
}
