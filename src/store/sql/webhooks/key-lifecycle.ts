import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Clock } from "../../../domain/vocabulary/clock.ts";
import { newId } from "../../../domain/vocabulary/ids.ts";
import type { Json } from "../../../domain/vocabulary/json.ts";
import type { EventType } from "../../../domain/webhooks/event-types.ts";
import {
  EXPIRING_DAYS,
  type KeyLifecycle,
  type LifecycleCursor,
  type LifecycleKind,
  type LifecyclePass,
  type LifecyclePiece,
  UNUSED_DAYS,
} from "../../../domain/webhooks/key-lifecycle.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { SERVICE } from "../driver/list-turns.ts";
import { commitLocally } from "../driver/local-commit.ts";
import { givenInstant, plusMs, type SqlNow, sqlNow } from "../driver/now.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import type { Schema } from "../schema.ts";

/** Ms between two looks through the keys. */
const EVERY_MS: Readonly<Record<LifecycleKind, number>> = { expiry: 60_000, rate_limited: 60_000, unused: 3_600_000 };
const TENANTS_AT_ONCE = 500;
const KEYS_AT_ONCE = 200;

/** The life of keys in SQL. `clock` is for tests. */
export function createKeyLifecycle(
  { internal, lists }: Pick<SqlDatabase, "internal" | "lists">,
  clock?: Clock,
): KeyLifecycle {
  const now = sqlNow(clock);
  return {
    beginPass: (kind) => translateOutage(() => commitLocally(internal, (trx) => beginPass(trx, kind, now))),
    endPass: (pass) => translateOutage(() => commitLocally(internal, (trx) => endPass(trx, pass))),
    listTenants: (after) => translateOutage(() => lists(SERVICE, (reader) => listTenants(reader, after))),
    writeEvents: (pass, tenantId, after) =>
      translateOutage(() => commitLocally(internal, (trx) => writeEvents(trx, pass, tenantId, after))),
    removeOld: () =>
      translateOutage(() => lists(SERVICE, (reader) => commitLocally(reader, (trx) => removeOld(trx, now)))),
  };
}

/** One replica gets it. If that is killed, another one begins again where it began. A time too far ahead is of a clock that was wrong. */
async function beginPass(db: Kysely<Schema>, kind: LifecycleKind, now: SqlNow): Promise<LifecyclePass | undefined> {
  const next = plusMs(now(), EVERY_MS[kind]);
  const { rows } = await sql<{ started_at: Date; done_at: Date }>`
    update key_lifecycle_passes set next_at = ${next}
    where kind = ${kind} and (next_at <= ${now()} or next_at > ${next})
    returning ${now()} as started_at, done_at`.execute(db);
  const [row] = rows;
  return row && { kind, startedAt: row.started_at, since: row.done_at };
}

async function endPass(db: Kysely<Schema>, { kind, startedAt }: LifecyclePass): Promise<void> {
  await db
    .updateTable("key_lifecycle_passes")
    .set({ done_at: startedAt })
    .where("kind", "=", kind)
    .where("done_at", "<", givenInstant(startedAt))
    .execute();
}

async function listTenants(db: Kysely<Schema>, after: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("webhooks")
    .select("tenant_id")
    .distinct()
    .where("status", "=", "enabled")
    .where("tenant_id", ">", after)
    .orderBy("tenant_id")
    .limit(TENANTS_AT_ONCE)
    .execute();
  return rows.map(({ tenant_id }) => tenant_id);
}

/** An event of a key. `kind` and `due` make it one that is written once. */
interface Found {
  readonly key_id: string;
  readonly kind: string;
  readonly due: Date;
  readonly details: Readonly<Record<string, Json>>;
}

async function writeEvents(
  trx: Kysely<Schema>,
  pass: LifecyclePass,
  tenantId: string,
  after: LifecycleCursor | undefined,
): Promise<LifecyclePiece> {
  switch (pass.kind) {
    case "expiry": {
      const expiring = await findExpiring(trx, tenantId, pass);
      const expired = await findExpired(trx, tenantId, pass);
      const isFull = expiring.length === KEYS_AT_ONCE || expired.length === KEYS_AT_ONCE;
      const written =
        (await write(trx, tenantId, "api_key.expiring", expiring, pass)) +
        (await write(trx, tenantId, "api_key.expired", expired, pass));
      return { written, next: isFull ? "again" : undefined };
    }
    case "unused": {
      const { found, next } = await findUnused(trx, tenantId, pass, after);
      return { written: await write(trx, tenantId, "api_key.unused", found, pass), next };
    }
    case "rate_limited": {
      const found = await findRateLimited(trx, tenantId, pass);
      const written = await write(trx, tenantId, "api_key.rate_limited", found, pass);
      return { written, next: found.length === KEYS_AT_ONCE ? "again" : undefined };
    }
    default:
      return pass.kind satisfies never;
  }
}

/** Of two replicas that find the same, the one whose row is committed first writes the event. */
async function write(
  trx: Kysely<Schema>,
  tenantId: string,
  type: EventType,
  found: readonly Found[],
  { startedAt }: LifecyclePass,
): Promise<number> {
  if (found.length === 0) return 0;
  const won = await trx
    .insertInto("key_lifecycle_events")
    .values(
      found.map(({ key_id, kind, due }) => ({ key_id, kind, due: givenInstant(due), at: givenInstant(startedAt) })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning(["key_id", "kind"])
    .execute();
  const names = new Set(won.map(({ key_id, kind }) => `${key_id} ${kind}`));
  const events = found.filter(({ key_id, kind }) => names.has(`${key_id} ${kind}`));
  if (events.length === 0) return 0;
  await trx
    .insertInto("webhook_events")
    .values(
      events.map(({ key_id, details }) => ({
        event_id: newId("evt"),
        tenant_id: tenantId,
        type,
        subject: key_id,
        source: JSON.stringify({ details }),
      })),
    )
    .execute();
  return events.length;
}

/** Keys that are neither revoked nor disabled: with their expiry, the conditions are those of an index. */
function usableOf(tenantId: string): RawBuilder<boolean> {
  return sql<boolean>`tenant_id = ${tenantId} and revoked_at is null and disabled_at is null`;
}

const EXPIRY = sql<Date>`coalesce(expires_at, 'infinity')`;

/** A key is warned of by the shortest notice that has been reached, if its life was longer than that when it began. */
async function findExpiring(
  trx: Kysely<Schema>,
  tenantId: string,
  { startedAt }: LifecyclePass,
): Promise<readonly Found[]> {
  const now = givenInstant(startedAt);
  const notices = sql.join(EXPIRING_DAYS.map((days) => sql.lit(days)));
  const longest = sql.lit(Math.max(...EXPIRING_DAYS));
  const { rows } = await sql<{ key_id: string; expires_at: Date; days: number }>`
    select key_id, expires_at, days from api_keys cross join lateral (
      select min(notice) as days from unnest(array[${notices}]) as notice
      where expires_at <= ${now} + notice * interval '24 hours'
    ) as reached
    where ${usableOf(tenantId)} and ${EXPIRY} > ${now} and ${EXPIRY} <= ${now} + ${longest} * interval '24 hours'
      and created_at <= expires_at - days * interval '24 hours'
      and not exists (
        select from key_lifecycle_events as written
        where written.key_id = api_keys.key_id and written.kind = 'expiring_' || days and written.due = expires_at
      )
    order by ${EXPIRY} limit ${sql.lit(KEYS_AT_ONCE)}`.execute(trx);
  return rows.map(({ key_id, expires_at, days }) => ({
    key_id,
    kind: `expiring_${days}`,
    due: expires_at,
    details: { expires_in_days: days },
  }));
}

/** With a margin for keys whose expiry was committed after the look before. */
const MARGIN_MS = 600_000;

async function findExpired(
  trx: Kysely<Schema>,
  tenantId: string,
  { startedAt, since }: LifecyclePass,
): Promise<readonly Found[]> {
  const { rows } = await sql<{ key_id: string; expires_at: Date }>`
    select key_id, expires_at from api_keys
    where ${usableOf(tenantId)} and ${EXPIRY} <= ${givenInstant(startedAt)}
      and ${EXPIRY} > ${givenInstant(new Date(since.getTime() - MARGIN_MS))}
      and not exists (
        select from key_lifecycle_events as written
        where written.key_id = api_keys.key_id and written.kind = 'expired' and written.due = expires_at
      )
    order by ${EXPIRY} limit ${sql.lit(KEYS_AT_ONCE)}`.execute(trx);
  return rows.map(({ key_id, expires_at }) => ({ key_id, kind: "expired", due: expires_at, details: {} }));
}

interface IdleRow {
  readonly key_id: string;
  readonly created_at: Date;
  readonly seq: number;
  readonly idle_since: Date;
  readonly is_unused: boolean;
}

/** All keys that are old enough, a piece after the other: no index has the last use, which each use would have to change. */
async function findUnused(
  trx: Kysely<Schema>,
  tenantId: string,
  { startedAt }: LifecyclePass,
  after: LifecycleCursor | undefined,
): Promise<{ found: readonly Found[]; next: LifecycleCursor | undefined }> {
  const limit = sql<Date>`(${givenInstant(startedAt)} - ${sql.lit(UNUSED_DAYS)} * interval '24 hours')`;
  const isAfter =
    after && sql`and (created_at, seq) > (${givenInstant(after.createdAt)}, cast(${after.seq} as bigint))`;
  const { rows } = await sql<IdleRow>`
    with aged as (
      select key_id, created_at, seq, revoked_at, disabled_at, expires_at from api_keys
      where tenant_id = ${tenantId} and created_at <= ${limit} ${isAfter ?? sql``}
      order by created_at, seq limit ${sql.lit(KEYS_AT_ONCE)}
    ), idle as (
      select aged.*, coalesce(greatest(last_used_at, created_at), created_at) as idle_since
      from aged left join key_usage on key_usage.key_id = aged.key_id
    )
    select key_id, created_at, seq, idle_since, (
      revoked_at is null and disabled_at is null and coalesce(expires_at > ${givenInstant(startedAt)}, true)
      and idle_since <= ${limit} and not exists (
        select from key_lifecycle_events as written
        where written.key_id = idle.key_id and written.kind = 'unused' and written.due = idle_since
      )
    ) as is_unused
    from idle order by created_at, seq`.execute(trx);
  const last = rows.length === KEYS_AT_ONCE ? rows.at(-1) : undefined;
  return {
    found: rows.filter((row) => row.is_unused).map(({ key_id, idle_since }) => unused(key_id, idle_since)),
    next: last && { createdAt: last.created_at, seq: last.seq },
  };
}

function unused(keyId: string, idleSince: Date): Found {
  return { key_id: keyId, kind: "unused", due: idleSince, details: { unused_since: idleSince.toISOString() } };
}

/** From the counts that are stored anyway, so that a request that is limited costs nothing more. */
async function findRateLimited(
  trx: Kysely<Schema>,
  tenantId: string,
  { startedAt }: LifecyclePass,
): Promise<readonly Found[]> {
  const now = givenInstant(startedAt);
  const { rows } = await sql<{ key_id: string; hour: Date }>`
    select distinct on (key_id) key_id, hour from key_usage_hours
    where tenant_id = ${tenantId} and outcome = 'rate_limited' and hour > ${now} - interval '2 hours' and hour <= ${now}
      and not exists (
        select from key_lifecycle_events as written
        where written.key_id = key_usage_hours.key_id and written.kind = 'rate_limited'
          and (written.due >= key_usage_hours.hour or written.at > ${now} - interval '1 hour')
      )
    order by key_id, hour desc limit ${sql.lit(KEYS_AT_ONCE)}`.execute(trx);
  return rows.map(({ key_id, hour }) => ({
    key_id,
    kind: "rate_limited",
    due: hour,
    details: { limited_in_hour: hour.toISOString() },
  }));
}

const REMOVED_AT_ONCE = 500;

/**
 * Warnings are needed until the key has expired, and limits for two hours. That a key is unused is kept: it would be found again.
 */
async function removeOld(db: Kysely<Schema>, now: SqlNow): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from key_lifecycle_events where ctid = any(array(
      select ctid from key_lifecycle_events
      where (kind = 'rate_limited' and at < ${now()} - interval '24 hours')
        or (kind like 'expir%' and at < ${now()} - interval '60 days')
      limit ${sql.lit(REMOVED_AT_ONCE)} for update skip locked
    ))`.execute(db);
  return numAffectedRows === BigInt(REMOVED_AT_ONCE);
}
