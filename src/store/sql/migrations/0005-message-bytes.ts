import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Stores the printed length of a message's parts beside them. A page is bounded by these bytes, and printing a thousand
 * messages to return thirty took seconds. Null in messages that the previous version wrote, which does not know the
 * column.
 */
export const messageBytes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await BYTES.execute(db);
  },
};

const BYTES = sql`alter table messages add column bytes int`;
