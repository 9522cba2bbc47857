import { type Kysely, sql } from "kysely";
import { StoreUnavailable } from "../../../domain/vocabulary/store-unavailable.ts";
import {
  type Committed,
  type Invalidation,
  NOWHERE,
  type PendingChange,
  type Subject,
} from "../../replicas/invalidation.ts";
import { MARK_USE_MS } from "../../replicas/times.ts";
import { lacks, refuseStale } from "../driver/history.ts";
import type { Schema } from "../schema.ts";
import { isMarkYounger, SERVER } from "./replica-rows.ts";

/** For stores whose records no process caches. */
export const NO_CACHE: Invalidation = {
  beginChange: async () => ({ markId: null, end: async () => {}, abandon: async () => {} }),
};

/**
 * Runs `work` in a transaction, and invalidates the cached records of the subject around it. Resolves when what `work` has
 * changed binds on every replica.
 *
 * If the outcome of the commit is unknown, the change is not ended: if it was not made, its mark stays, and the record is
 * read from the database each time until the mark is too old to count.
 */
export async function changeBound<Result>(
  db: Kysely<Schema>,
  invalidation: Invalidation,
  subject: Subject,
  work: (trx: Kysely<Schema>) => Promise<Result>,
): Promise<Result> {
  return changeAllBound(db, invalidation, [subject], work);
}

/** As `changeBound`, for a change of the records of several subjects in one transaction. */
export async function changeAllBound<Result>(
  db: Kysely<Schema>,
  invalidation: Invalidation,
  subjects: readonly Subject[],
  work: (trx: Kysely<Schema>) => Promise<Result>,
): Promise<Result> {
  const changes = await beginAll(invalidation, subjects);
  let isDone = false;
  const changed = db.transaction().execute(async (trx) => {
    let committed = NOWHERE;
    for (const change of changes) committed = await removeMark(trx, change);
    const result = await work(trx);
    isDone = true;
    return { committed, result };
  });
  const { committed, result } = await changed.catch(async (err: unknown) => {
    // From here on only the commit can have failed, and it may have succeeded.
    if (!isDone) await Promise.all(changes.map((change) => change.abandon()));
    throw err;
  });
  await Promise.all(changes.map((change) => change.end(committed)));
  return result;
}

/** Begins all changes, or abandons those that have begun. */
async function beginAll(invalidation: Invalidation, subjects: readonly Subject[]): Promise<readonly PendingChange[]> {
  const begun = await Promise.allSettled(subjects.map((subject) => invalidation.beginChange(subject)));
  const changes = begun.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const failed = begun.find((each) => each.status === "rejected");
  if (failed === undefined) return changes;
  await Promise.all(changes.map((change) => change.abandon()));
  throw failed.reason;
}

/** Removes the mark of a change together with the change itself, promises it under an id, and returns the server that makes it. */
async function removeMark(trx: Kysely<Schema>, { markId, newest = null }: PendingChange): Promise<Committed> {
  if (markId === null) return NOWHERE;
  const { rows } = await sql<Committed & { is_stale: boolean }>`
    with promised as (insert into promised_changes default values returning change_id)
    delete from key_marks using promised where mark_id = ${markId} and ${isMarkYounger(MARK_USE_MS)}
    returning ${SERVER} as server, change_id::text as "changeId", ${lacks(newest)} as is_stale`.execute(trx);
  const [removed] = rows;
  if (removed === undefined) throw new StoreUnavailable(new Error("The mark of the change is gone: make it again."));
  refuseStale(rows);
  return removed;
}
