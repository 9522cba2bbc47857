import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Erasures that are not finished (ADR 29), and indexes for the removal of messages. The previous version keeps working: what it
 * writes is removed, too.
 */
export const erasures: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [ERASURES, SENT_BY_RUN, ENDED_BY_AGE]) await statement.execute(db);
  },
};

/** `target` is a hash of what is erased, because the identifiers together may be too long for an index. */
const ERASURES = sql`
  create table erasures (
    erasure_id text primary key,
    target bytea not null unique,
    kind text not null check (kind in ('user', 'tenant')),
    tenant_id text not null,
    user_id text not null,
    issuer text not null,
    act jsonb not null,
    removed jsonb not null default '{}',
    started_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
  )`;

/**
 * A run and the sender's id of its message are removed together. The tables take no writes while their indexes are built, so an
 * operator may have built both before.
 */
const SENT_BY_RUN = sql`create index if not exists sent_messages_by_run on sent_messages (run_id)`;

/** The runs that retention removes. */
const ENDED_BY_AGE = sql`
  create index if not exists runs_ended_by_age on runs (created_at) where status in ('completed', 'failed')`;
