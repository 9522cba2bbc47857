import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * The audit trail (ADR 26), and who created and revoked each key. The previous version keeps working, but writes neither.
 */
export const audit: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await statement.execute(db);
  },
};

/** Identities of actors are not references: the rows outlive what they name. */
const EVENTS = sql`
  create table audit_events (
    seq bigint generated always as identity primary key,
    event_id text not null unique,
    at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
    tenant_id text,
    actor jsonb not null,
    actor_id text not null,
    action text not null,
    target_id text not null,
    changes jsonb not null,
    refusal jsonb,
    address text,
    request_id text not null,
    trace_id text
  )`;

const INDEXES = [
  sql`create index audit_events_by_age on audit_events (at, seq)`,
  sql`create index audit_events_of_tenant on audit_events (tenant_id, at, seq)`,
  sql`create index audit_events_by_actor on audit_events (actor_id, at, seq)`,
  sql`create index audit_events_by_target on audit_events (target_id, at, seq)`,
];

/**
 * Events are neither changed nor removed, but for the removal of old ones, which says in its transaction how many days it
 * keeps. Whatever it says, events of the last day stay.
 */
const PROTECT = sql`
  create function protect_audit_event() returns trigger language plpgsql as $$
  declare
    kept_days int := nullif(current_setting('latchkey.audit_days', true), '')::int;
  begin
    if tg_op = 'DELETE' and kept_days is not null then
      if old.at < clock_timestamp() - make_interval(days => greatest(kept_days, 1)) then return old; end if;
    end if;
    raise exception 'events of the audit trail can be neither changed nor removed' using errcode = 'insufficient_privilege';
  end
  $$`;

const PROTECTED = [
  sql`
    create trigger audit_event_protected before update or delete on audit_events
    for each row execute function protect_audit_event()`,
  sql`
    create trigger audit_events_protected before truncate on audit_events
    for each statement execute function protect_audit_event()`,
];

/** Nullable without a default, so that the table is not rewritten. */
const KEY_ACTORS = sql`alter table api_keys add column created_by jsonb, add column revoked_by jsonb`;

const STATEMENTS = [EVENTS, ...INDEXES, PROTECT, ...PROTECTED, KEY_ACTORS];
