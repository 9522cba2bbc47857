import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Uses of keys by the hour and the outcome (ADR 28). The previous version stores counters alone: what it counts is in no
 * hour.
 */
export const usageHours: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [USAGE_HOURS, OF_TENANT, BY_AGE]) await statement.execute(db);
  },
};

/**
 * `outcome` is empty for successful uses, else why they failed. The rows of the current hour are updated each second: an
 * updated row that fits into its page needs no new entry in the indexes.
 */
const USAGE_HOURS = sql`
  create table key_usage_hours (
    tenant_id text not null,
    key_id text not null,
    hour timestamptz(0) not null,
    outcome text not null,
    count bigint not null check (count > 0),
    primary key (key_id, hour, outcome)
  ) with (fillfactor = 50)`;

const OF_TENANT = sql`create index key_usage_hours_of_tenant on key_usage_hours (tenant_id, hour)`;

const BY_AGE = sql`create index key_usage_hours_by_age on key_usage_hours (hour)`;
