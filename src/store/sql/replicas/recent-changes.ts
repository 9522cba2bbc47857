import { type Kysely, type RawBuilder, sql } from "kysely";
import { storedState } from "../../../domain/lost-changes/promised-state.ts";
import type { Promised, PromisedChange } from "../../replicas/promised-changes.ts";
import type { RecentEvent } from "../../replicas/recent-events.ts";
import type { Missing } from "../../replicas/replica-table.ts";
import type { Schema } from "../schema.ts";
import { SERVER } from "./server-id.ts";

/** What a replica must remember of a server that it did not look at before. A bit more than it does remember. */
const RECENT = sql`interval '16 minutes'`;
/** Of these at most. */
const RECENT_MAX = sql.lit(20_000);
const EVENTS_MAX = sql.lit(10_000);

export type PromisedRow = readonly [changeId: string, madeMs: number, promise: Promised | null];

/**
 * The promised changes since a snapshot on a server. On another one the recent ones, and the newest from before, as it shows that
 * the server has all from before.
 */
export function promisedSince(
  before: RawBuilder<unknown>,
  server: string | undefined,
): RawBuilder<PromisedRow[] | null> {
  const last = sql`cast(${server ?? null} as text)`;
  const madeAt = sql`floor(extract(epoch from made_at) * 1000)::float8`;
  return sql`(
    select json_agg(json_build_array(change_id, ${madeAt}, promise)) from (
      select change_id, made_at, promise from promised_changes
      where ${SERVER} = ${last} and transaction_id >= pg_snapshot_xmin(${before})
        and transaction_id < pg_snapshot_xmax(pg_current_snapshot())
        and not pg_visible_in_snapshot(transaction_id, ${before})
      union all
      (
        select change_id, made_at, promise from promised_changes
        where ${SERVER} is distinct from ${last} and made_at >= coalesce(
          (select max(made_at) from promised_changes where made_at < now() - ${RECENT}), '-infinity'
        )
        order by made_at desc limit ${RECENT_MAX}
      )
    ) as recent
  )`;
}

export function promisedOf([changeId, madeMs, promise]: PromisedRow): PromisedChange {
  return { changeId, madeMs, promise: promise && { ...promise, state: storedState(promise.state) } };
}

/**
 * Undefined: none is read. Messages have no audit events: their runs stand for them, under ids of events. Runs that have ended and
 * those that have not are in an index each.
 */
export function eventsFrom(fromMs: number | undefined): RawBuilder<RecentEvent[] | null> {
  if (fromMs === undefined) return sql`null`;
  const from = sql`to_timestamp(${fromMs}::float8 / 1000)`;
  const runs = (statuses: RawBuilder<unknown>) => sql`
    select 'aud_' || substr(run_id, 5), runs.created_at, tenant_id, 'message.sent', run_id, ''
    from runs join threads using (thread_id) where runs.created_at >= ${from} and status in (${statuses})`;
  return sql`(
    select json_agg(json_build_object(
      'eventId', event_id, 'atMs', floor(extract(epoch from at) * 1000)::float8, 'tenantId', tenant_id,
      'action', action, 'targetId', target_id, 'requestId', request_id
    )) from (
      (
        select event_id, at, tenant_id, action, target_id, request_id from audit_events
        where at >= ${from} and refusal is null order by at limit ${EVENTS_MAX}
      )
      union all ${runs(sql`'queued', 'running'`)}
      union all ${runs(sql`'completed', 'failed'`)}
    ) as recent
  )`;
}

/** The ids are JSON texts, which both drivers bind in the same way. */
export async function findMissing(
  db: Kysely<Schema>,
  changeIds: readonly string[],
  eventIds: readonly string[],
): Promise<Missing> {
  const { rows } = await sql<{ server: string; changes: readonly string[] | null; events: readonly string[] | null }>`
    select ${SERVER} as server,
      (
        select json_agg(id) from jsonb_array_elements_text(cast(${JSON.stringify(changeIds)} as text)::jsonb) as asked (id)
        where not exists (select from promised_changes where change_id = cast(id as uuid))
      ) as changes,
      (
        select json_agg(id) from jsonb_array_elements_text(cast(${JSON.stringify(eventIds)} as text)::jsonb) as asked (id)
        where not exists (select from audit_events where event_id = id)
          and not exists (select from runs where run_id = 'run_' || substr(id, 5))
      ) as events`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("The database returned nothing.");
  return { server: row.server, changeIds: new Set(row.changes), eventIds: new Set(row.events) };
}
