import { type Kysely, sql } from "kysely";
import type { EventSource } from "../../../domain/webhooks/event-source.ts";
import type { OutboxLease, Prepared, PreparedEvent, RawEvent } from "../../../domain/webhooks/outbox.ts";
import { givenInstant, plusMs, type SqlNow } from "../driver/now.ts";
import type { Schema } from "../schema.ts";
import { leaseEnded } from "./leases.ts";

/** Events of one tenant that are prepared at once on all replicas, so that a tenant with many delays no other. */
const OF_TENANT_MAX = 32;

interface EventRow {
  readonly seq: number;
  readonly event_id: string;
  readonly tenant_id: string;
  readonly type: string;
  readonly subject: string;
  readonly at: Date;
  readonly source: EventSource;
}

/** Finds the tenants one by one in the index of what is not prepared: PostgreSQL has no plan that skips from one to the next. */
export async function claimEvents(
  db: Kysely<Schema>,
  { token, leaseMs }: OutboxLease,
  most: number,
  now: SqlNow,
): Promise<readonly RawEvent[]> {
  const { rows } = await sql<EventRow>`
    with recursive waiting as (
      (select tenant_id from webhook_events where prepared_at is null order by tenant_id limit 1)
      union all
      select (
        select tenant_id from webhook_events
        where prepared_at is null and tenant_id > waiting.tenant_id order by tenant_id limit 1
      )
      from waiting where waiting.tenant_id is not null
    ),
    oldest as (
      select each.* from waiting cross join lateral (
        select event_id, seq, lease_until, row_number() over (order by seq) as place
        from webhook_events where prepared_at is null and tenant_id = waiting.tenant_id
        order by seq limit ${sql.lit(OF_TENANT_MAX)}
      ) as each
    ),
    chosen as materialized (
      select event_id from oldest where ${leaseEnded(now, leaseMs)} order by place, seq limit cast(${most} as int)
    )
    update webhook_events set lease_token = ${token}, lease_until = ${plusMs(now(), leaseMs)}
    where event_id in (
      select event_id from webhook_events
      where event_id in (select event_id from chosen) and prepared_at is null and ${leaseEnded(now, leaseMs)}
      order by seq for update skip locked
    )
    returning seq, event_id, tenant_id, type, subject, at, source`.execute(db);
  return rows
    .map((row) => ({
      eventId: row.event_id,
      tenantId: row.tenant_id,
      sequence: row.seq,
      type: row.type,
      subject: row.subject,
      at: row.at,
      source: row.source,
    }))
    .toSorted((a, b) => a.sequence - b.sequence);
}

/** In one transaction: bodies without deliveries would never be sent, and deliveries without a body could not be. */
export async function storePrepared(
  trx: Kysely<Schema>,
  leaseToken: string,
  prepared: readonly Prepared[],
  now: SqlNow,
): Promise<number> {
  let deliveries = 0;
  for (const { raw, events } of prepared) {
    const [first, ...others] = events;
    if (!(await isHeld(trx, raw.eventId, leaseToken))) continue;
    for (const event of others) deliveries += await insertPrepared(trx, raw, event, now);
    deliveries += first === undefined ? await drop(trx, raw.eventId) : await finish(trx, raw, first, now);
  }
  return deliveries;
}

async function isHeld(trx: Kysely<Schema>, eventId: string, leaseToken: string): Promise<boolean> {
  const row = await trx
    .selectFrom("webhook_events")
    .select("event_id")
    .where("event_id", "=", eventId)
    .where("lease_token", "=", leaseToken)
    .where("prepared_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** The second event of a change. */
async function insertPrepared(trx: Kysely<Schema>, raw: RawEvent, event: PreparedEvent, now: SqlNow): Promise<number> {
  await trx
    .insertInto("webhook_events")
    .values({
      event_id: event.eventId,
      tenant_id: raw.tenantId,
      subject: raw.subject,
      at: givenInstant(raw.at),
      source: JSON.stringify(raw.source),
      ...preparedColumns(event),
      prepared_at: now(),
    })
    .execute();
  return deliver(trx, raw, event, now);
}

async function finish(trx: Kysely<Schema>, raw: RawEvent, event: PreparedEvent, now: SqlNow): Promise<number> {
  await trx
    .updateTable("webhook_events")
    .set({ ...preparedColumns(event), prepared_at: now(), lease_token: null, lease_until: null })
    .where("event_id", "=", raw.eventId)
    .execute();
  return deliver(trx, raw, event, now);
}

function preparedColumns({ type, body, users }: PreparedEvent) {
  return { type, body, users: JSON.stringify(users) };
}

/** One delivery for each webhook that the event is for; an event for none is removed. */
async function deliver(trx: Kysely<Schema>, raw: RawEvent, event: PreparedEvent, now: SqlNow): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into webhook_deliveries (delivery_id, event_id, webhook_id, tenant_id, type, next_at)
    select 'whd_' || replace(cast(gen_random_uuid() as text), '-', ''), ${event.eventId}, webhook_id, tenant_id, ${event.type}, ${now()}
    from webhooks
    where tenant_id = ${raw.tenantId} and status = 'enabled'
      and (events @> cast(${JSON.stringify([event.type])} as jsonb) or events @> '["*"]')
    order by seq for key share`.execute(trx);
  return numAffectedRows === 0n ? drop(trx, event.eventId) : Number(numAffectedRows);
}

async function drop(trx: Kysely<Schema>, eventId: string): Promise<0> {
  await trx.deleteFrom("webhook_events").where("event_id", "=", eventId).execute();
  return 0;
}
