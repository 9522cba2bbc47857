import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * When a key was used last goes to where its uses are counted: in `api_keys` it rewrote a wide row and waited for its
 * lock, once a second for each key in use. What is there stays, as the previous version goes on writing it: the later of
 * both holds.
 */
export const lastUse: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [LAST_USED_AT, ROOM_FOR_UPDATES]) await statement.execute(db);
  },
};

const LAST_USED_AT = sql`alter table key_usage add column last_used_at timestamptz(3)`;

/** A new version of a row that fits into its page needs no new entry in the index. */
const ROOM_FOR_UPDATES = sql`alter table key_usage set (fillfactor = 50)`;
