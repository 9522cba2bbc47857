import { type Kysely, sql } from "kysely";
import type { KeyRetention } from "../../../domain/keys/retention.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { commitLocally } from "../driver/local-commit.ts";
import { givenInstant } from "../driver/now.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import type { Schema } from "../schema.ts";

/** Each key adds a row to the change log: replicas read the log row by row as long as it does not grow faster. */
const KEYS_AT_ONCE = 100;

/** Removes ended keys in SQL, so many in one piece. Must not run within a transaction. */
export function createKeyRetention(
  { internal }: Pick<SqlDatabase, "internal">,
  keysAtOnce = KEYS_AT_ONCE,
): KeyRetention {
  return {
    removeEndedBefore: (instant) =>
      translateOutage(() => commitLocally(internal, (trx) => removeEndedBefore(trx, instant, keysAtOnce))),
  };
}

/**
 * A key with its counters and what is remembered of its notices. Its uses by the hour stay: they are its tenant's, too, and have a
 * retention of their own. The first condition is that of the index.
 */
async function removeEndedBefore(trx: Kysely<Schema>, instant: Date, keysAtOnce: number): Promise<boolean> {
  const end = sql<Date>`least(revoked_at, expires_at)`;
  const ended = await trx
    .selectFrom("api_keys")
    .select("key_id")
    .where(sql<boolean>`(revoked_at is not null or expires_at is not null)`)
    .where(end, "<", givenInstant(instant))
    .orderBy(end)
    .limit(keysAtOnce)
    .forUpdate()
    .skipLocked()
    .execute();
  if (ended.length === 0) return false;
  const keyIds = ended.map(({ key_id }) => key_id);
  // In the order in which a batch of uses locks them: then neither waits for the other for ever.
  await trx
    .selectFrom("key_usage")
    .select("key_id")
    .where("key_id", "in", keyIds)
    .orderBy("key_id")
    .forUpdate()
    .execute();
  for (const table of ["key_usage", "key_lifecycle_events", "api_keys"] as const)
    await trx.deleteFrom(table).where("key_id", "in", keyIds).execute();
  return ended.length === keysAtOnce;
}
