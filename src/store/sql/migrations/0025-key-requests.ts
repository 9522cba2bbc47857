import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * The calls of the last day that made a key and have an id of their caller's, so that a repetition makes no second one. Hashes
 * alone: who called, and what was sent, cannot be read. The previous version ignores the ids, and keeps working.
 */
export const keyRequests: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await statement.execute(db);
  },
};

const STATEMENTS = [
  sql`
    create table key_requests (
      request_hash bytea primary key,
      content_hash bytea not null,
      key_id text not null,
      made_at timestamptz(3) not null
    )`,
  sql`create index key_requests_by_age on key_requests (made_at)`,
];
