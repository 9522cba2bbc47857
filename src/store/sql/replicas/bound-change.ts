import { type Kysely, sql } from "kysely";
import { StoreUnavailable } from "../../../domain/vocabulary/store-unavailable.ts";
import type { Invalidation, PendingChange, Subject } from "../../replicas/invalidation.ts";
import { MARK_USE_MS } from "../../replicas/times.ts";
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
    let server = "";
    for (const { markId } of changes) server = await removeMark(trx, markId);
    const result = await work(trx);
    isDone = true;
    return { server, result };
  });
  const { server, result } = await changed.catch(async (err: unknown) => {
    // From here on only the commit can have failed, and it may have succeeded.
    if (!isDone) await Promise.all(changes.map((change) => change.abandon()));
    throw err;
  });
  await Promise.all(changes.map((change) => change.end(server)));
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

/** Removes the mark of a change together with the change itself, and returns the server that makes it. */
async function removeMark(trx: Kysely<Schema>, markId: string | null): Promise<string> {
  if (markId === null) return "";
  const { rows } = await sql<{ server: string }>`
    delete from key_marks where mark_id = ${markId} and ${isMarkYounger(MARK_USE_MS)} returning ${SERVER} as server`.execute(
    trx,
  );
  const [removed] = rows;
  if (removed === undefined) throw new StoreUnavailable(new Error("The mark of the change is gone: make it again."));
  return removed.server;
}
