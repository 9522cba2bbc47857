import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * The bytes of a message's parts, printed, beside the parts: a page is bounded by them, and printing a thousand messages
 * to return thirty took seconds. Null where the previous version wrote the message, which knows no such column.
 */
export const messageBytes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await BYTES.execute(db);
  },
};

const BYTES = sql`alter table messages add column bytes int`;
