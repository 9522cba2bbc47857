import { type Kysely, type RawBuilder, sql } from "kysely";
import { codeOf } from "../../../domain/vocabulary/error-code.ts";
import { StoreUnavailable } from "../../../domain/vocabulary/store-unavailable.ts";
import type { Subject } from "../../replicas/invalidation.ts";
import type { RecentEvent } from "../../replicas/recent-events.ts";
import type {
  LastLook,
  Look,
  ReplicaRow,
  ReplicaTable,
  SeenOnServer,
  Snapshot,
  UsageQuestion,
} from "../../replicas/replica-table.ts";
import { MARK_LIFE_MS } from "../../replicas/times.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { hashBytes, hashOf } from "../driver/hash-bytes.ts";
import { lacks } from "../driver/history.ts";
import { IS_LOCAL, LOCAL } from "../driver/local-commit.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import type { Schema } from "../schema.ts";
import { eventsFrom, findMissing, type PromisedRow, promisedOf, promisedSince } from "./recent-changes.ts";
import { SERVER } from "./server-id.ts";

/** Maximum number of changes that one look reads. After more, as of an update by hand, all records are dropped. */
const CHANGES_MAX = 10_000;

/**
 * For which a process may be cut off and still find the newest change that it knew. It counts from the change after that: of those that
 * are older the newest is kept, since it was the newest of all until less than this ago, or still is.
 */
const KEPT = sql`interval '1 day'`;

/** A condition on `key_marks`. */
export function isMarkYounger(ms: number) {
  return sql<boolean>`marked_at > now() - ${sql.lit(ms)} * interval '1 millisecond'`;
}

/** Marks that are older count no more: their change will not be made. */
const isMarkAlive = isMarkYounger(MARK_LIFE_MS);

/** The process that asked has waited for a second at most. */
const IS_OPEN = sql<boolean>`asked_at > now() - interval '10 seconds'`;

/**
 * The tables of ADR 22. Looks and waits have connections of their own, so that they never queue behind requests. No commit waits for a
 * standby: replicas keep their leases without one. All writers of a row must do so, because one that waited would hold its lock.
 */
export function createReplicaTable({ control: db }: Pick<SqlDatabase, "control">): ReplicaTable {
  let place: Promise<RawBuilder<Place>> | undefined;
  const findPlace = () => (place ??= placeOn(db));
  return {
    register: (replicaId, isFresh = true) => translateOutage(() => register(db, replicaId, isFresh)),
    readName: () => translateOutage(async () => readName(db, await findPlace())),
    leave: (replicaId) => translateOutage(() => remove(db, sql`replicas`, sql`replica_id = ${replicaId}`)),
    look: (replicaId, since, newest = [], last = NO_LOOK) =>
      translateOutage(async () => look(db, replicaId, { since, newest, last, place: await findPlace() })),
    acknowledge: (replicaId, seen) => translateOutage(() => acknowledge(db, "seen", replicaId, seen)),
    renew: (replicaId, seen, mendedOn = "") => translateOutage(() => renew(db, replicaId, seen, mendedOn)),
    findMissing: (changeIds, eventIds) => translateOutage(() => findMissing(db, changeIds, eventIds)),
    readReplicas: () => translateOutage(() => readReplicas(db)),
    removeReplica: (replicaId, beats) =>
      translateOutage(() => remove(db, sql`replicas`, sql`replica_id = ${replicaId} and beats = ${beats}`)),
    insertMark: (subject) => translateOutage(() => insertMark(db, subject)),
    deleteMark: (markId) => translateOutage(() => remove(db, sql`key_marks`, sql`mark_id = ${markId}`)),
    insertUsageQuestion: (keyId) => translateOutage(() => insertUsageQuestion(db, keyId)),
    deleteUsageQuestion: (questionId) =>
      translateOutage(() => remove(db, sql`usage_questions`, sql`question_id = ${questionId}`)),
    acknowledgeUsage: (replicaId, counted) => translateOutage(() => acknowledge(db, "counted", replicaId, counted)),
  };
}

async function register(db: Kysely<Schema>, replicaId: string, isFresh: boolean): Promise<void> {
  await sql`
    with ${LOCAL}, known as (insert into known_servers (server) values (${SERVER}) on conflict do nothing)
    insert into replicas (replica_id, mended)
    select ${replicaId}, case when ${isFresh} then ${SERVER} end where ${IS_LOCAL}`.execute(db);
}

async function remove(db: Kysely<Schema>, table: RawBuilder<unknown>, condition: RawBuilder<unknown>): Promise<void> {
  await sql`with ${LOCAL} delete from ${table} where ${condition} and ${IS_LOCAL}`.execute(db);
}

async function renew(
  db: Kysely<Schema>,
  replicaId: string,
  { snapshot, server }: SeenOnServer,
  mendedOn: string | null,
): Promise<boolean> {
  const { rows } = await sql`
    with ${LOCAL}, known as (insert into known_servers (server) values (${SERVER}) on conflict do nothing)
    update replicas set
      beats = beats + 1,
      mended = case when ${mendedOn === null} then null when ${SERVER} = ${mendedOn ?? ""} then ${mendedOn ?? ""} else mended end,
      seen = case when ${SERVER} = ${server} then cast(${snapshot} as text)::pg_snapshot else seen end
    where replica_id = ${replicaId} and ${IS_LOCAL}
    returning replica_id`.execute(db);
  return rows.length > 0;
}

/** The setting ends with the statement, through a pooler in transaction mode, too. */
async function acknowledge(
  db: Kysely<Schema>,
  column: "seen" | "counted",
  replicaId: string,
  { snapshot, server }: SeenOnServer,
): Promise<void> {
  await sql`
    with lazily as materialized (select set_config('synchronous_commit', 'off', true))
    update replicas set ${sql.ref(column)} = cast(${snapshot} as text)::pg_snapshot
    where replica_id = ${replicaId} and ${SERVER} = ${server} and exists (select from lazily)`.execute(db);
}

async function readReplicas(db: Kysely<Schema>) {
  const { rows } = await sql<ReplicaRow>`
    select replica_id as "replicaId", ${SERVER} as server, beats, seen::text as seen, counted::text as counted
    from replicas`.execute(db);
  return rows;
}

async function insertMark(db: Kysely<Schema>, subject: Subject) {
  const { rows } = await sql<{ markId: string; transactionId: string }>`
    with ${LOCAL}, dead as (
      delete from key_marks
      where mark_id in (select mark_id from key_marks where not ${isMarkAlive} for update skip locked)
    ), forgotten as (
      delete from promised_changes where change_id in (
        select change_id from promised_changes
        where made_at < (select max(made_at) from promised_changes where made_at < now() - ${KEPT})
        limit 100 for update skip locked
      )
    )
    insert into key_marks (secret_hash) select ${hashBytes(subject)} where ${IS_LOCAL}
    returning mark_id::text as "markId", transaction_id::text as "transactionId"`.execute(db);
  const [mark] = rows;
  if (mark === undefined) throw new Error("The database returned no mark.");
  return mark;
}

async function insertUsageQuestion(db: Kysely<Schema>, keyId: string): Promise<UsageQuestion> {
  const { rows } = await sql<UsageQuestion>`
    with ${LOCAL}, dead as (
      delete from usage_questions
      where question_id in (select question_id from usage_questions where not ${IS_OPEN} for update skip locked)
    )
    insert into usage_questions (key_id) select ${keyId} where ${IS_LOCAL}
    returning question_id::text as "questionId", transaction_id::text as "transactionId"`.execute(db);
  const [question] = rows;
  if (question === undefined) throw new Error("The database returned no question.");
  return question;
}

interface Place {
  readonly system: string | null;
  readonly timeline: number | null;
}

/** Where the server stands among all copies of its cluster. An ordinary role may ask for both. */
const PLACE = sql<Place>`
  (select system_identifier::text from pg_control_system()) as system,
  case when pg_is_in_recovery() then null
    else ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int end as timeline`;
const NO_PLACE = sql<Place>`null as system, null as timeline`;

/** Asked once: where a managed service hides it, as Aurora does, each look would fail. */
async function placeOn(db: Kysely<Schema>): Promise<RawBuilder<Place>> {
  try {
    await sql`select ${PLACE}`.execute(db);
    return PLACE;
  } catch (err) {
    if (codeOf(err)?.startsWith("08") === true || codeOf(err) === undefined) throw err;
    return NO_PLACE;
  }
}

async function readName(db: Kysely<Schema>, place: RawBuilder<Place>) {
  const { rows } = await sql<Place & { database: string }>`
    select ${place}, current_database() as database`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("The database returned no name.");
  return row;
}

interface LookRow extends Place {
  readonly lacks_newest: boolean;
  readonly newest: string | null;
  readonly snapshot: Snapshot;
  readonly server: string;
  readonly is_standby: boolean;
  readonly now_ms: number;
  readonly server_known_ms: number | null;
  readonly is_listed: boolean;
  readonly are_others_mended: boolean;
  readonly promised: readonly PromisedRow[] | null;
  readonly events: readonly RecentEvent[] | null;
  readonly is_whole: boolean | null;
  readonly changed: readonly string[] | null;
  readonly marks: readonly (readonly [string, string])[] | null;
  readonly questions: readonly (readonly [string, string])[] | null;
}

interface Asked {
  readonly since: Snapshot | null;
  readonly newest: readonly string[];
  readonly last: LastLook;
  readonly place: RawBuilder<Place>;
}

const NO_LOOK: LastLook = { server: undefined, eventsFromMs: undefined };

/**
 * One statement, so one snapshot. The changes are those that are visible in it and were not in `since`. Two simpler
 * cursors would not work:
 *
 * - The last sequence number: a change with a lower number may be committed later.
 * - The oldest transaction under way: if one stays open for hours, in any database of the server, each look would read
 *   all changes since then again.
 *
 * `since` may come from a server that was further ahead, as before a restore; then changes may be missing, and so may they
 * where the change log was purged or cut since (`migrations/0001-initial/changes.ts`).
 */
async function look(db: Kysely<Schema>, replicaId: string, { since, newest, last, place }: Asked): Promise<Look> {
  const before = sql`cast(${since} as text)::pg_snapshot`;
  const { rows } = await sql<LookRow>`
    select
      pg_current_snapshot()::text as snapshot,
      ${SERVER} as server,
      pg_is_in_recovery() as is_standby,
      ${place},
      ${lacks(...newest)} as lacks_newest,
      (select change_id::text from promised_changes order by made_at desc limit 1) as newest,
      floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms,
      (
        select extract(epoch from clock_timestamp() - known_since)::float8 * 1000 from known_servers where server = ${SERVER}
      ) as server_known_ms,
      exists (select from replicas where replica_id = ${replicaId}) as is_listed,
      not exists (
        select from replicas where replica_id <> ${replicaId} and mended is distinct from ${SERVER}
      ) as are_others_mended,
      ${promisedSince(before, last.server)} as promised,
      ${eventsFrom(last.eventsFromMs)} as events,
      (
        select pg_snapshot_xmax(${before}) <= pg_snapshot_xmax(pg_current_snapshot())
          and (purged_by is null or pg_visible_in_snapshot(purged_by, ${before}))
        from key_changes_watermark
      ) as is_whole,
      (
        select json_agg(encode(secret_hash, 'hex')) from (
          select secret_hash from key_changes
          where transaction_id >= pg_snapshot_xmin(${before})
            and transaction_id < pg_snapshot_xmax(pg_current_snapshot())
            and not pg_visible_in_snapshot(transaction_id, ${before})
          limit ${sql.lit(CHANGES_MAX + 1)}
        ) as listed
      ) as changed,
      (
        select json_agg(json_build_array(mark_id::text, encode(secret_hash, 'hex'))) from key_marks where ${isMarkAlive}
      ) as marks,
      (
        select json_agg(json_build_array(question_id::text, key_id)) from usage_questions where ${IS_OPEN}
      ) as questions`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("The database returned no snapshot.");
  if (row.is_standby) throw new StoreUnavailable(new Error("The server of DATABASE_URL is a standby."));
  const changed = row.changed ?? [];
  return {
    snapshot: row.snapshot,
    server: row.server,
    history: { hasNewest: !row.lacks_newest, newest: row.newest, system: row.system, timeline: row.timeline },
    serverKnownMs: row.server_known_ms ?? 0,
    nowMs: row.now_ms,
    isListed: row.is_listed,
    areOthersMended: row.are_others_mended,
    promised: (row.promised ?? []).map(promisedOf),
    events: row.events ?? [],
    isAll: row.is_whole === true && changed.length <= CHANGES_MAX,
    changed: changed.map(fromHex),
    marks: new Map((row.marks ?? []).map(([markId, hash]) => [markId, fromHex(hash)])),
    usageQuestions: new Map(row.questions ?? []),
  };
}

function fromHex(hash: string): Subject {
  return hashOf(Buffer.from(hash, "hex"));
}
