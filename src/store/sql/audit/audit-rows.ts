import { type Insertable, type Kysely, type Selectable, sql } from "kysely";
import type { AuditFilter, AuditPage, RefusedCall } from "../../../domain/audit/audit-trail.ts";
import { type Audited, changesBetween } from "../../../domain/audit/changes.ts";
import { ACCESS_DENIED, type Act, type AuditEvent, type AuditTarget, actorId } from "../../../domain/audit/event.ts";
import { newId } from "../../../domain/vocabulary/ids.ts";
import type { TimeCursor } from "../../../domain/vocabulary/time-cursor.ts";
import { givenInstant } from "../driver/now.ts";
import type { Schema } from "../schema.ts";

/**
 * Records what a call changes, in the transaction of the change: both are committed or neither is. A call that leaves
 * every member as it was records nothing.
 */
export async function recordChange(
  trx: Kysely<Schema>,
  act: Act,
  target: AuditTarget,
  states: { readonly before?: Audited | undefined; readonly after?: Audited | undefined },
): Promise<void> {
  const changes = changesBetween(states.before, states.after);
  if (Object.keys(changes).length === 0) return;
  await insertEvent(trx, { ...act, ...target, changes, refusal: null });
}

/** The event of a new record, for a statement that inserts both. */
export function creationRow(act: Act, target: AuditTarget, created: Audited): Insertable<Schema["audit_events"]> {
  return eventRow({ ...act, ...target, changes: changesBetween(undefined, created), refusal: null });
}

export async function insertEvent(db: Kysely<Schema>, event: NewEvent, eventId?: string): Promise<void> {
  await db.insertInto("audit_events").values(eventRow(event, eventId)).execute();
}

export async function insertEvents(db: Kysely<Schema>, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => eventRow(event));
  await db.insertInto("audit_events").values(rows).execute();
}

type NewEvent = Omit<AuditEvent, "eventId" | "at" | "impersonation"> & Partial<Pick<AuditEvent, "impersonation">>;

export function eventRow(event: NewEvent, eventId = newId("aud")): Insertable<Schema["audit_events"]> {
  return {
    event_id: eventId,
    tenant_id: event.tenantId,
    actor: JSON.stringify(event.actor),
    actor_id: actorId(event.actor),
    action: event.action,
    target_id: event.targetId,
    changes: JSON.stringify(event.changes),
    refusal: event.refusal === null ? null : JSON.stringify(event.refusal),
    impersonation: event.impersonation ? JSON.stringify(event.impersonation) : null,
    address: event.address,
    request_id: event.requestId,
    trace_id: event.traceId,
  };
}

export async function insertRefusals(db: Kysely<Schema>, refused: RefusedCall): Promise<void> {
  const { rpc, reason, count, ...origin } = refused;
  const refusal = { rpc, reason, count };
  await insertEvent(db, { ...origin, action: ACCESS_DENIED, targetId: "", changes: {}, refusal });
}

/** Maximum number of events of single refusals that an actor gets within a minute in one tenant. */
const REFUSALS_MAX = 10;

/** The lock makes concurrent refusals of one actor, on any replica, count each other. It ends with the transaction. */
export async function insertRefusal(trx: Kysely<Schema>, refused: RefusedCall): Promise<boolean> {
  const actor = actorId(refused.actor);
  const lockName = JSON.stringify(["refusal", refused.tenantId, actor]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${lockName}, 0))`.execute(trx);
  const { recent } = await trx
    .selectFrom("audit_events")
    .select((eb) => eb.fn.countAll<number>().as("recent"))
    .where("actor_id", "=", actor)
    .where("tenant_id", "is not distinct from", refused.tenantId)
    .where("action", "=", ACCESS_DENIED)
    .where("at", ">", sql<Date>`clock_timestamp() - interval '1 minute'`)
    .executeTakeFirstOrThrow();
  if (recent >= REFUSALS_MAX) return false;
  await insertRefusals(trx, refused);
  return true;
}

export async function listEvents(
  db: Kysely<Schema>,
  tenantId: string | null,
  { from, to, actorId: actor, action, targetId, requestId }: AuditFilter,
  { after, perPage }: { readonly after: TimeCursor | undefined; readonly perPage: number },
): Promise<AuditPage> {
  let query = db.selectFrom("audit_events").selectAll();
  if (tenantId !== null) query = query.where(isOnlyOf(tenantId)).orderBy("tenant_id", "desc");
  if (from !== null) query = query.where("at", ">=", from);
  if (to !== null) query = query.where("at", "<", to);
  if (actor !== "") query = query.where("actor_id", "=", actor);
  if (action !== "") query = query.where("action", "=", action);
  if (targetId !== "") query = query.where("target_id", "=", targetId);
  if (requestId !== "") query = query.where("request_id", "=", requestId);
  if (after !== undefined) query = query.where(isAfter(after));
  const rows = await query
    .orderBy("at", "desc")
    .orderBy("seq", "desc")
    .limit(perPage + 1)
    .execute();
  const shown = rows.slice(0, perPage);
  const last = rows.length > perPage ? shown.at(-1) : undefined;
  return { events: shown.map(eventOf), next: last && { atMs: last.at.getTime(), seq: last.seq } };
}

/**
 * With the order by tenant, only an index that begins with the tenant gives the order. For a plain comparison the planner drops
 * that part of the order, and may scan an index of all tenants' events, because it assumes that each tenant has its share
 * everywhere.
 */
function isOnlyOf(tenantId: string) {
  return sql<boolean>`tenant_id = any(array[cast(${tenantId} as text)])`;
}

function isAfter({ atMs, seq }: TimeCursor) {
  return sql<boolean>`(at, seq) < (${givenInstant(new Date(atMs))}, cast(${seq} as bigint))`;
}

function eventOf(row: Selectable<Schema["audit_events"]>): AuditEvent {
  return {
    eventId: row.event_id,
    at: row.at,
    tenantId: row.tenant_id,
    actor: row.actor,
    action: row.action,
    targetId: row.target_id,
    changes: row.changes,
    refusal: row.refusal,
    impersonation: row.impersonation,
    address: row.address,
    requestId: row.request_id,
    traceId: row.trace_id,
  };
}

const REMOVED_AT_ONCE = 1_000;

/** Says how old the events may be: the table's trigger rejects every other removal. Concurrent removals skip each other's. */
export async function removeOldEvents(trx: Kysely<Schema>, days: number): Promise<boolean> {
  await sql`select set_config('latchkey.audit_days', ${String(days)}, true)`.execute(trx);
  const { rows } = await sql`
    delete from audit_events where seq in (
      select seq from audit_events
      where at < clock_timestamp() - make_interval(days => cast(${days} as int))
      order by at, seq limit ${REMOVED_AT_ONCE} for update skip locked
    ) returning seq`.execute(trx);
  return rows.length === REMOVED_AT_ONCE;
}
