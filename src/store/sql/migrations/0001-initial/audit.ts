import { sql } from "kysely";

/** The audit trail (ADR 26). Identities of actors are not references: the rows outlive what they name. */
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
    trace_id text,
    impersonation jsonb
  )`;

/** Each filter of the lists has one. Those without the tenant are for the operator, who reads the events of all tenants. */
const INDEXES = [
  sql`create index audit_events_by_age on audit_events (at, seq)`,
  sql`create index audit_events_of_tenant on audit_events (tenant_id, at, seq)`,
  sql`create index audit_events_by_actor on audit_events (actor_id, at, seq)`,
  sql`create index audit_events_by_target on audit_events (target_id, at, seq)`,
  sql`create index audit_events_by_action on audit_events (action, at, seq)`,
  sql`create index audit_events_of_tenant_by_action on audit_events (tenant_id, action, at, seq)`,
  sql`create index audit_events_of_tenant_by_actor on audit_events (tenant_id, actor_id, at, seq)`,
  sql`create index audit_events_of_tenant_by_target on audit_events (tenant_id, target_id, at, seq)`,
];

/**
 * Events are neither changed nor removed, except by the removal of old ones, which says in its transaction how many days it
 * keeps. Whatever it says, events of the last day stay.
 */
const PROTECTION = [
  sql`
    create function protect_audit_event() returns trigger language plpgsql as $$
  declare
    kept_days int := nullif(current_setting('latchkey.audit_days', true), '')::int;
  begin
    if tg_op = 'DELETE' and kept_days is not null then
      if old.at < clock_timestamp() - make_interval(days => greatest(kept_days, 1)) then return old; end if;
    end if;
    raise exception 'events of the audit trail can be neither changed nor removed' using errcode = 'insufficient_privilege';
  end
  $$`,
  sql`
    create trigger audit_event_protected before update or delete on audit_events
    for each row execute function protect_audit_event()`,
  sql`
    create trigger audit_events_protected before truncate on audit_events
    for each statement execute function protect_audit_event()`,
];

/**
 * The calls of each key for each user in an hour, until the hour is over and becomes an event. With where the first call of
 * the hour came from. The hour leads the key: hours are stored by their age.
 */
const IMPERSONATIONS = sql`
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

/**
 * Erasures that are not finished (ADR 29). `target` is a hash of what is erased, because the identifiers together may be too
 * long for an index.
 */
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

export const AUDIT = [EVENTS, ...INDEXES, ...PROTECTION, IMPERSONATIONS, ERASURES];
