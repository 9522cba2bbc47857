import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Moves the time of last use to the table of the usage counters. In `api_keys` it rewrote a wide row and waited for its
 * lock, once a second for each key in use. The old column stays, because the previous version keeps writing it; readers
 * use the later of both times.
 */
export const lastUse: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [LAST_USED_AT, ROOM_FOR_UPDATES]) await statement.execute(db);
  },
};

const LAST_USED_AT = sql`alter table key_usage add column last_used_at timestamptz(3)`;

/** An updated row that fits into its page needs no new entry in the index. */
const ROOM_FOR_UPDATES = sql`alter table key_usage set (fillfactor = 50)`;
