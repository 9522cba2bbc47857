import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import { FAILURES, type RecentRequest, type Verdict } from "../../../domain/requests/recent-request.ts";
import {
  KEPT_OF_KEY,
  KEPT_WITHOUT_TENANT,
  type RequestFilter,
  type RequestLog,
  type RequestPage,
} from "../../../domain/requests/request-log.ts";
import type { Clock } from "../../../domain/vocabulary/clock.ts";
import type { TimeCursor } from "../../../domain/vocabulary/time-cursor.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { OPERATOR, ofTenant, SERVICE } from "../driver/list-turns.ts";
import { commitLocally } from "../driver/local-commit.ts";
import { givenInstant, sqlNow } from "../driver/now.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import { ERASED_REASON } from "../keys/key-policies.ts";
import type { Schema } from "../schema.ts";

/** The recent requests in SQL (ADR 53). `clock` is for tests. */
export function createRequestLog(
  { internal, lists }: Pick<SqlDatabase, "internal" | "lists">,
  clock?: Clock,
): RequestLog {
  const now = sqlNow(clock);
  return {
    addRequests: (batchId, requests) =>
      translateOutage(() => commitLocally(internal, (trx) => addRequests(trx, batchId, requests, now()))),
    listRequests: (tenantId, filter, page) =>
      translateOutage(() => lists(ofTenant(tenantId), (reader) => listRequests(reader, tenantId, filter, page))),
    findRequest(tenantId, requestId) {
      const owner = tenantId === null ? OPERATOR : ofTenant(tenantId);
      return translateOutage(() => lists(owner, (reader) => findRequest(reader, tenantId, requestId)));
    },
    removeBefore: (instant, most) =>
      translateOutage(() =>
        lists(SERVICE, (reader) => commitLocally(reader, (trx) => removeBefore(trx, instant, most))),
      ),
  };
}

/**
 * Inserts a batch and removes what it leaves in excess, in one statement: all or nothing, and idempotent if the batch is sent again
 * within a day. Each column is one parameter, as in `addUsage`.
 *
 * Both parts see the rows that were there before, so the inserted ones are counted. Rows are removed in the order of their places,
 * so that two replicas cannot deadlock. An instant is at most a day ahead of the database's clock: with one from a clock that was
 * wrong for a moment, a row would stay for years.
 */
async function addRequests(
  db: Kysely<Schema>,
  batchId: string,
  requests: readonly RecentRequest[],
  now: RawBuilder<Date>,
): Promise<void> {
  if (requests.length === 0) return;
  const list = (column: (request: RecentRequest) => unknown) =>
    sql`json_array_elements_text(${JSON.stringify(requests.map(column))}::json)`;
  await sql`
    with batch as (
      insert into usage_batches (batch_id) values (${batchId}) on conflict do nothing returning batch_id
    ), taken as materialized (
      select
        least(timestamptz 'epoch' + at_ms::bigint * interval '1 millisecond', ${now} + interval '24 hours') as at,
        tenant_id, key_id, token_id, reason = '' as is_admitted, request_id, caller, user_id, address, rpc, scope, reason, failed_check,
        message, place
      from batch, rows from (
        ${list(({ at }) => at.getTime())},
        ${list(({ tenantId }) => tenantId ?? "")},
        ${list(({ keyId }) => keyId ?? "")},
        ${list(({ tokenId }) => tokenId)},
        ${list(({ requestId }) => requestId)},
        ${list(({ caller }) => caller)},
        ${list(({ userId }) => userId)},
        ${list(({ address }) => address)},
        ${list(({ rpc }) => rpc)},
        ${list(({ scope }) => scope)},
        ${list(({ reason }) => reason ?? "")},
        ${list(({ failedCheck }) => failedCheck)},
        ${list(({ message }) => message)}
      ) with ordinality as list (
        at_ms, tenant_id, key_id, token_id, request_id, caller, user_id, address, rpc, scope, reason, failed_check, message, place
      )
      where not exists (
        select from tenant_suspensions
        where tenant_suspensions.tenant_id = list.tenant_id and tenant_suspensions.reason = ${ERASED_REASON}
      )
    ), added as (
      select
        tenant_id, key_id, is_admitted,
        case when tenant_id = '' then ${sql.lit(KEPT_WITHOUT_TENANT)} else ${sql.lit(KEPT_OF_KEY)} end - count(*) as kept
      from taken
      group by tenant_id, key_id, is_admitted
    ), removed as (
      delete from recent_requests where ctid = any(array(
        select excess.ctid
        from added cross join lateral (
          select recent.ctid from recent_requests as recent
          where recent.tenant_id = added.tenant_id
            and recent.key_id = added.key_id
            and recent.is_admitted = added.is_admitted
          order by recent.at desc, recent.seq desc
          offset greatest(added.kept, 0)
        ) as excess
      ))
    )
    insert into recent_requests (
      at, tenant_id, key_id, token_id, is_admitted, request_id, caller, user_id, address, rpc, scope, reason, failed_check,
      message
    )
    select
      at, tenant_id, key_id, token_id, is_admitted, request_id, caller, user_id, address, rpc, scope, reason, failed_check, message
    from taken
    order by place`.execute(db);
}

async function listRequests(
  db: Kysely<Schema>,
  tenantId: string,
  { from, to, keyId, tokenId, verdict, reason, requestId }: RequestFilter,
  { after, perPage }: { readonly after: TimeCursor | undefined; readonly perPage: number },
): Promise<RequestPage> {
  // As in the audit trail: with the order by tenant, only an index that begins with the tenant gives the order.
  let query = db
    .selectFrom("recent_requests")
    .selectAll()
    .where(sql<boolean>`tenant_id = any(array[cast(${tenantId} as text)])`)
    .orderBy("tenant_id", "desc");
  if (from !== null) query = query.where("at", ">=", from);
  if (to !== null) query = query.where("at", "<", to);
  if (keyId !== "") query = query.where("key_id", "=", keyId);
  if (tokenId !== "") query = query.where("token_id", "=", tokenId);
  if (verdict !== null) query = query.where(hasVerdict(verdict));
  if (reason !== "") query = query.where(sql<boolean>`reason = ${reason} and not is_admitted`);
  if (requestId !== "") query = query.where("request_id", "=", requestId);
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(at, seq) < (${givenInstant(new Date(after.atMs))}, cast(${after.seq} as bigint))`,
    );
  }
  const rows = await query
    .orderBy("at", "desc")
    .orderBy("seq", "desc")
    .limit(perPage + 1)
    .execute();
  const shown = rows.slice(0, perPage);
  const last = rows.length > perPage ? shown.at(-1) : undefined;
  return { requests: shown.map(requestOf), next: last && { atMs: last.at.getTime(), seq: last.seq } };
}

function hasVerdict(verdict: Verdict): RawBuilder<boolean> {
  // As the index of failures has them: a parameter could be anything to the planner.
  const failures = sql.join(FAILURES.map((reason) => sql.lit(reason)));
  switch (verdict) {
    case "admitted":
      return sql<boolean>`reason = ''`;
    case "failed":
      return sql<boolean>`not is_admitted and reason in (${failures})`;
    case "denied":
      return sql<boolean>`not is_admitted and reason not in (${failures})`;
    default:
      return verdict satisfies never;
  }
}

async function findRequest(
  db: Kysely<Schema>,
  tenantId: string | null,
  requestId: string,
): Promise<RecentRequest | undefined> {
  let query = db.selectFrom("recent_requests").selectAll().where("request_id", "=", requestId);
  // Of a request without a tenant, the column is an empty text, which is the id of no tenant.
  if (tenantId !== null) query = query.where("tenant_id", "=", tenantId);
  const row = await query.orderBy("at", "desc").orderBy("seq", "desc").limit(1).executeTakeFirst();
  return row && requestOf(row);
}

async function removeBefore(db: Kysely<Schema>, instant: Date, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from recent_requests where ctid = any(array(
      select ctid from recent_requests where at < ${givenInstant(instant)}
      order by at limit ${most} for update skip locked
    ))`.execute(db);
  return Number(numAffectedRows);
}

function requestOf(row: Selectable<Schema["recent_requests"]>): RecentRequest {
  return {
    requestId: row.request_id,
    at: row.at,
    tenantId: row.tenant_id || null,
    keyId: row.key_id || null,
    tokenId: row.token_id,
    caller: row.caller,
    userId: row.user_id,
    address: row.address,
    rpc: row.rpc,
    scope: row.scope,
    reason: row.reason || null,
    failedCheck: row.failed_check,
    message: row.message,
  };
}
