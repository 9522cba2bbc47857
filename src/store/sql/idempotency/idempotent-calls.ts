import { type Kysely, type RawBuilder, sql } from "kysely";
import {
  IDEMPOTENT_MS,
  type IdempotencyRecord,
  type IdempotentCall,
  type IdempotentCalls,
  IdempotentReplay,
} from "../../../domain/idempotency/idempotent-call.ts";
import type { Clock } from "../../../domain/vocabulary/clock.ts";
import type { KnownHistory } from "../../replicas/known-history.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { hashBytes } from "../driver/hash-bytes.ts";
import { findProven, isStale, refuseStale } from "../driver/history.ts";
import { commitLocally } from "../driver/local-commit.ts";
import { plusMs, sqlNow } from "../driver/now.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import type { Schema } from "../schema.ts";

/** The records of idempotent calls, in SQL. `clock` is for tests. */
export function createIdempotentCalls(
  database: Pick<SqlDatabase, "db" | "history" | "internal">,
  clock?: Clock,
): IdempotentCalls {
  const now = sqlNow(clock);
  return {
    findRecord: (call) => translateOutage(() => findRecord(database, call, now())),
    removeOld: () => translateOutage(() => commitLocally(database.internal, (trx) => removeOld(trx, now()))),
  };
}

/**
 * Claims a call for what the transaction makes. Throws `IdempotentReplay` if it was made before: the insert waits for a
 * concurrent transaction of the same call, so that of many exactly one makes something. It comes before every other lock,
 * because the repetition must neither wait for them nor be refused for what the first call has used up.
 */
export async function claimCall(
  trx: Kysely<Schema>,
  history: KnownHistory,
  call: IdempotentCall | undefined,
  madeId: string,
  now: RawBuilder<Date>,
): Promise<void> {
  if (call === undefined) return;
  const values = { content_hash: hashBytes(call.contentHash), key_id: madeId, made_at: now };
  const claimed = await trx
    .insertInto("key_requests")
    .values({ request_hash: hashBytes(call.callHash), ...values })
    .onConflict((conflict) =>
      conflict
        .column("request_hash")
        .doUpdateSet(values)
        .where("key_requests.made_at", "<=", plusMs(now, -IDEMPOTENT_MS)),
    )
    .returning(isStale(history).as("is_stale"))
    .executeTakeFirst();
  // On a server that lacks the first call, the claim would be free again.
  if (claimed !== undefined) return refuseStale([claimed]);
  const record = await findRecord({ db: trx, history }, call, now);
  if (record === undefined) throw new Error("a claimed call has made nothing");
  throw new IdempotentReplay(record);
}

async function findRecord(
  database: Pick<SqlDatabase, "db" | "history">,
  { callHash }: IdempotentCall,
  now: RawBuilder<Date>,
): Promise<IdempotencyRecord | undefined> {
  const lookUp = database.db
    .selectFrom("key_requests")
    .select(["key_id", "content_hash"])
    .where("request_hash", "=", hashBytes(callHash))
    .where("made_at", ">", plusMs(now, -IDEMPOTENT_MS));
  const row = await findProven(database, lookUp);
  return row && { madeId: row.key_id, contentHash: Buffer.from(row.content_hash).toString("base64url") };
}

const REMOVED_AT_ONCE = 1_000;

/** Concurrent removals skip each other's. */
async function removeOld(db: Kysely<Schema>, now: RawBuilder<Date>): Promise<boolean> {
  const { rows } = await sql`
    delete from key_requests where request_hash in (
      select request_hash from key_requests where made_at <= ${plusMs(now, -IDEMPOTENT_MS)}
      order by made_at limit ${REMOVED_AT_ONCE} for update skip locked
    ) returning 1`.execute(db);
  return rows.length === REMOVED_AT_ONCE;
}
