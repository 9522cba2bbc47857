import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * For how many days the replicas keep events of the audit trail, and an index for the events of one request. The previous
 * version knows neither, and keeps working: it removes events by its own AUDIT_DAYS.
 */
export const operatorNight: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await statement.execute(db);
  },
};

const STATEMENTS = [
  sql`
    create table audit_retention (
      only_row boolean primary key default true check (only_row),
      days integer not null default 0,
      confirmed_at timestamptz not null default '-infinity'
    )`,
  sql`insert into audit_retention default values`,
  sql`create index if not exists audit_events_by_request on audit_events (request_id)`,
];
