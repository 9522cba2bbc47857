import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * The calls of each key for each user in an hour, until the hour is over and becomes an event of the audit trail. The
 * previous version keeps working, but counts none.
 */
export const impersonations: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await statement.execute(db);
  },
};

/** Where the first call of the hour came from. The hour leads the key: hours are stored by their age. */
const HOURS = sql`
  create table impersonation_hours (
    hour timestamptz(3) not null,
    tenant_id text not null,
    key_id text not null,
    user_id text not null,
    calls bigint not null,
    address text,
    request_id text not null,
    trace_id text,
    primary key (hour, tenant_id, key_id, user_id)
  )`;

/** Nullable without a default, so that the table is not rewritten. */
const EVENTS = sql`alter table audit_events add column impersonation jsonb`;

const STATEMENTS = [HOURS, EVENTS];
