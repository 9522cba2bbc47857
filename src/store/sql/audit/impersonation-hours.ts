import { type Kysely, sql } from "kysely";
import type { ImpersonatedCalls } from "../../../domain/audit/audit-trail.ts";
import { USER_IMPERSONATED } from "../../../domain/audit/event.ts";
import { NOTHING } from "../../../domain/audit/origin.ts";
import { givenInstant } from "../driver/now.ts";
import type { Schema } from "../schema.ts";
import { insertEvents } from "./audit-rows.ts";

/**
 * Adds a batch to the calls of each hour, in one statement: all or nothing, and idempotent if the batch is sent again
 * within a day. Rows are locked in the order of the primary key, so that two replicas cannot deadlock. Each column is one
 * parameter, as in `addUsage`.
 */
export async function addImpersonations(
  db: Kysely<Schema>,
  batchId: string,
  counted: readonly ImpersonatedCalls[],
): Promise<void> {
  if (counted.length === 0) return;
  const list = (values: readonly unknown[]) => sql`json_array_elements_text(${JSON.stringify(values)}::json)`;
  await sql`
    with batch as (
      insert into usage_batches (batch_id) values (${batchId}) on conflict do nothing returning batch_id
    )
    insert into impersonation_hours (hour, tenant_id, key_id, user_id, calls, address, request_id, trace_id)
    select
      timestamptz 'epoch' + hour_ms::bigint * interval '1 millisecond' as hour,
      tenant_id, key_id, user_id, calls::bigint, address, request_id, trace_id
    from batch, rows from (
      ${list(counted.map(({ hour }) => hour.getTime()))},
      ${list(counted.map(({ tenantId }) => tenantId))},
      ${list(counted.map(({ keyId }) => keyId))},
      ${list(counted.map(({ userId }) => userId))},
      ${list(counted.map(({ calls }) => calls))},
      ${list(counted.map(({ origin }) => origin.address))},
      ${list(counted.map(({ origin }) => origin.requestId))},
      ${list(counted.map(({ origin }) => origin.traceId))}
    ) as list (hour_ms, tenant_id, key_id, user_id, calls, address, request_id, trace_id)
    order by hour, tenant_id, key_id, user_id
    on conflict (hour, tenant_id, key_id, user_id) do update
    set calls = impersonation_hours.calls + excluded.calls
  `.execute(db);
}

const STORED_AT_ONCE = 500;

/**
 * Makes events of some hours that began before `before`. Removed and inserted in one transaction, so that each call is in
 * one event. Concurrent transactions skip each other's rows.
 */
export async function storeHours(trx: Kysely<Schema>, before: Date): Promise<boolean> {
  const rows = await trx
    .deleteFrom("impersonation_hours")
    .where(({ refTuple, selectFrom, eb }) =>
      eb(
        refTuple("hour", "tenant_id", "key_id", "user_id"),
        "in",
        selectFrom("impersonation_hours")
          .select(["hour", "tenant_id", "key_id", "user_id"])
          .where("hour", "<", givenInstant(before))
          .orderBy("hour")
          .limit(STORED_AT_ONCE)
          .forUpdate()
          .skipLocked()
          .$asTuple("hour", "tenant_id", "key_id", "user_id"),
      ),
    )
    .returningAll()
    .execute();
  await insertEvents(
    trx,
    rows.map((row) => ({
      action: USER_IMPERSONATED,
      actor: { ...NOTHING, kind: "secret_key", keyId: row.key_id, userId: row.user_id },
      tenantId: row.tenant_id,
      targetId: row.user_id,
      changes: {},
      refusal: null,
      impersonation: { hour: row.hour.toISOString(), calls: row.calls },
      address: row.address,
      requestId: row.request_id,
      traceId: row.trace_id,
    })),
  );
  return rows.length === STORED_AT_ONCE;
}
