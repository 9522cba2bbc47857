import { type Kysely, sql } from "kysely";
import type { PromisedState } from "../../../domain/lost-changes/promised-state.ts";
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
import { isMarkYounger } from "./replica-rows.ts";
import { SERVER } from "./server-id.ts";

/** For stores whose records no process caches. */
export const NO_CACHE: Invalidation = {
  beginChange: async () => ({ markId: null, end: async () => {}, abandon: async () => {} }),
};

/** What a bound change did. */
export interface BoundChange<Result> {
  readonly result: Result;
  /** What it leaves of the rights of the first subject. Null: it took none away, or the whole of it cannot be made again. */
  readonly state: PromisedState | null;
  /** Of the call. Default: none is known. */
  readonly requestId?: string;
}

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
  work: (trx: Kysely<Schema>) => Promise<BoundChange<Result>>,
): Promise<Result> {
  return changeAllBound(db, invalidation, [subject], work);
}

/** As `changeBound`, for a change of the records of several subjects in one transaction. */
export async function changeAllBound<Result>(
  db: Kysely<Schema>,
  invalidation: Invalidation,
  subjects: readonly Subject[],
  work: (trx: Kysely<Schema>) => Promise<BoundChange<Result>>,
): Promise<Result> {
  const changes = await beginAll(invalidation, subjects);
  let isDone = false;
  const changed = db.transaction().execute(async (trx) => {
    for (const change of changes) await removeMark(trx, change);
    const { result, ...change } = await work(trx);
    const committed = await promise(trx, changes[0], { subject: subjects[0] ?? "", requestId: "", ...change });
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

/** Removes the mark of a change together with the change itself. */
async function removeMark(trx: Kysely<Schema>, { markId, newest = null }: PendingChange): Promise<void> {
  if (markId === null) return;
  const { rows } = await sql<{ is_stale: boolean }>`
    delete from key_marks where mark_id = ${markId} and ${isMarkYounger(MARK_USE_MS)}
    returning ${lacks(newest)} as is_stale`.execute(trx);
  if (rows.length === 0) throw new StoreUnavailable(new Error("The mark of the change is gone: make it again."));
  refuseStale(rows);
}

/** Promises the change under an id, and returns the server that makes it. At the end, so that ids of one target have its order. */
async function promise(
  trx: Kysely<Schema>,
  change: PendingChange | undefined,
  { subject, state, requestId }: { subject: Subject; state: PromisedState | null; requestId: string },
): Promise<Committed> {
  if (change === undefined || (change.markId === null && change.again === undefined)) return NOWHERE;
  const ids =
    change.again === undefined
      ? sql`gen_random_uuid()`
      : sql`cast(jsonb_array_elements_text(cast(${JSON.stringify(change.again)} as text)::jsonb) as uuid)`;
  const content = state === null ? null : JSON.stringify({ subject, state, requestId });
  const { rows } = await sql<Committed>`
    insert into promised_changes (change_id, promise)
    select ${ids}, cast(${content} as jsonb) on conflict do nothing
    returning ${SERVER} as server, change_id::text as "changeId", pg_current_xact_id()::text as "transactionId"`.execute(
    trx,
  );
  const [committed] = rows;
  if (committed === undefined) throw new MadeAlready();
  return committed;
}

/** Another process has made the change again. */
export class MadeAlready extends Error {}
