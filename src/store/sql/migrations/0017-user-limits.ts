import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * The limit of each user of a key, and the budget that a rotation's keys share (ADR 36). The previous version leaves the
 * columns as they are: keys that it creates have neither, and a key that it rotates gets a successor with its own budget.
 */
export const userLimits: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      alter table api_keys
        add column user_requests_per_minute integer not null default 0,
        add column user_requests_per_hour integer not null default 0,
        add column user_burst_size integer not null default 0,
        add column budget_id text`.execute(db);
  },
};
