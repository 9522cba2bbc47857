import { type RawBuilder, sql } from "kysely";

/**
 * The outbox (ADR 51) is written by triggers, in the transaction of the change: they see every insert into the audit trail, also
 * those that are a part of another statement, those of the version before, and later ones.
 *
 * They run with the rights of their owner, because the role of the version before has none on these tables. Hence they set their
 * own search path.
 *
 * `type` is the action of the audit event until the event is prepared.
 */
const ofAudit = (searchPath: RawBuilder<unknown>) => sql`
  create function write_webhook_event() returns trigger language plpgsql
  security definer set search_path = ${searchPath} as $$
  begin
    if exists (select from webhooks where tenant_id = new.tenant_id and status = 'enabled') then
      insert into webhook_events (event_id, tenant_id, type, subject, at, source)
      values (
        new.event_id, new.tenant_id, new.action, new.target_id, new.at,
        jsonb_build_object('action', new.action, 'target_id', new.target_id, 'changes', new.changes, 'actor', new.actor)
      );
    end if;
    return null;
  end
  $$`;

/** A run ends once, so that its event has its number. All that the event says of the run is known here. */
const ofRuns = (searchPath: RawBuilder<unknown>) => sql`
  create function write_run_event() returns trigger language plpgsql
  security definer set search_path = ${searchPath} as $$
  begin
    insert into webhook_events (event_id, tenant_id, type, subject, source)
    select
      'evt_' || substr(new.run_id, 5), tenant_id, 'run.' || new.status, new.run_id,
      jsonb_build_object('details', jsonb_build_object(
        'thread_id', thread_id, 'conversation_key', conversation_key, 'user_id', user_id, 'error', new.error,
        'prompt_tokens', new.prompt_tokens, 'completion_tokens', new.completion_tokens
      ))
    from threads
    where thread_id = new.thread_id
      and exists (select from webhooks where webhooks.tenant_id = threads.tenant_id and status = 'enabled')
    on conflict do nothing;
    return null;
  end
  $$`;

const TRIGGERS = [
  sql`
    create trigger audit_event_written after insert on audit_events for each row
    when (
      new.tenant_id is not null and new.refusal is null and new.impersonation is null and new.action not like 'webhook.%'
    )
    execute function write_webhook_event()`,
  sql`
    create trigger run_ended after update of status on runs for each row
    when (old.status is distinct from new.status and new.status in ('completed', 'failed'))
    execute function write_run_event()`,
];

/** The users that an event's body names, for their erasure. */
const NAMED_USERS = [
  sql`alter table webhook_events add column users jsonb not null default '[]'`,
  sql`create index webhook_events_of_users on webhook_events using gin (users jsonb_path_ops) where users <> '[]'`,
];

/**
 * When the keys were last looked through for each kind of event of their life, and when that is due again: one replica does it.
 * What happened before `done_at` was seen.
 */
const PASSES = [
  sql`
    create table key_lifecycle_passes (
      kind text primary key,
      next_at timestamptz(3) not null default '-infinity',
      done_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
    )`,
  sql`insert into key_lifecycle_passes (kind) values ('expiry'), ('unused'), ('rate_limited')`,
  sql`create index key_usage_hours_rate_limited on key_usage_hours (tenant_id, hour) where outcome = 'rate_limited'`,
];

/** `searchPath`: of the functions that run with the rights of their owner. */
export const outbox = (searchPath: RawBuilder<unknown>) => [
  ...[ofAudit(searchPath), ofRuns(searchPath)],
  ...[...TRIGGERS, ...NAMED_USERS, ...PASSES],
];
