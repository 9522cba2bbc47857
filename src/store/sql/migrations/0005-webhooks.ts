import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { outbox } from "./0005-outbox.ts";
import { ownSearchPath } from "./search-path.ts";

/** Webhooks (ADR 51). The previous version does not know the tables; what it changes is written to them by triggers. */
export const webhooks: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const tables = [...WEBHOOKS, ...EVENTS, ...DELIVERIES, ...LIFECYCLE];
    for (const statement of [...tables, ...outbox(await ownSearchPath(db))]) await statement.execute(db);
  },
};

/** Secrets are text that can be read again: signing needs them. They are sealed under TOKEN_SECRET where that is set (ADR 56). */
const WEBHOOKS = [
  sql`
    create table webhooks (
      webhook_id text primary key,
      tenant_id text not null,
      seq bigint generated always as identity,
      url text not null,
      events jsonb not null,
      description text not null,
      status text not null check (status in ('enabled', 'disabled')),
      disabled_reason text,
      secret text not null,
      previous_secret text,
      previous_secret_until timestamptz(3),
      failing_since timestamptz(3),
      created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
      created_by jsonb
    )`,
  sql`create index webhooks_of_tenant on webhooks (tenant_id, seq)`,
];

/**
 * Events, each written in the transaction of its change. The body is made later, once, so that every attempt sends the same
 * bytes; until then the event is claimed by a lease, as runs are.
 */
const EVENTS = [
  sql`
    create table webhook_events (
      seq bigint generated always as identity,
      event_id text primary key,
      tenant_id text not null,
      type text not null,
      subject text not null,
      at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
      source jsonb not null,
      body text,
      prepared_at timestamptz(3),
      lease_token text,
      lease_until timestamptz(3)
    )`,
  sql`create index webhook_events_unprepared on webhook_events (tenant_id, seq) where prepared_at is null`,
  sql`create index webhook_events_of_tenant on webhook_events (tenant_id, subject, seq)`,
  sql`create index webhook_events_by_age on webhook_events (at, seq)`,
];

/** One for each event and each webhook that it is for. */
const DELIVERIES = [
  sql`
    create table webhook_deliveries (
      delivery_id text primary key,
      seq bigint generated always as identity,
      event_id text not null references webhook_events on delete cascade,
      webhook_id text not null references webhooks on delete cascade,
      tenant_id text not null,
      type text not null,
      status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
      attempts integer not null default 0,
      created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
      next_at timestamptz(3),
      lease_token text,
      lease_until timestamptz(3),
      last_attempt_at timestamptz(3),
      last_status integer,
      last_duration_ms integer,
      last_error text,
      last_answer text,
      delivered_at timestamptz(3),
      unique (event_id, webhook_id)
    )`,
  sql`create index webhook_deliveries_due on webhook_deliveries (next_at, seq) where status = 'pending'`,
  sql`
    create index webhook_deliveries_due_of_webhook on webhook_deliveries (webhook_id, next_at, seq)
    where status = 'pending'`,
  sql`create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, created_at, seq)`,
  sql`create index webhook_deliveries_of_webhook_by_status on webhook_deliveries (webhook_id, status, created_at, seq)`,
  sql`create index webhook_deliveries_of_tenant on webhook_deliveries (tenant_id, created_at, seq)`,
  sql`create index webhook_deliveries_of_tenant_by_status on webhook_deliveries (tenant_id, status, created_at, seq)`,
  sql`create index webhook_deliveries_of_tenant_by_type on webhook_deliveries (tenant_id, type, created_at, seq)`,
  sql`create index webhook_deliveries_by_age on webhook_deliveries (created_at, seq)`,
];

/**
 * What was sent about the life of a key, once over all replicas: `due` is the instant that it was about, so that a key whose
 * expiry moves is warned of again.
 */
const LIFECYCLE = [
  sql`
    create table key_lifecycle_events (
      key_id text not null,
      kind text not null,
      due timestamptz(3) not null,
      at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
      primary key (key_id, kind, due)
    )`,
  sql`create index key_lifecycle_events_by_age on key_lifecycle_events (at)`,
];
