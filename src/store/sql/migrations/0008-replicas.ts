import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * The list of replicas, which cache keys under a lease, and the marks of changes under way (ADR 22). The previous version
 * keeps working: it reads the change log as before, and replicas of this version cache nothing while it has sessions.
 */
export const replicas: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const { rows } = await sql<{ schema: string }>`select unnest(current_schemas(false)) as schema`.execute(db);
    const schemas = rows.map(({ schema }) => schema);
    for (const statement of CREATED) await statement.execute(db);
    for (const statement of [recordCut(schemas), DELETED, TRUNCATED]) await statement.execute(db);
  },
};

/** Its rows are updated all the time: with room in each page, an update needs no new page and no entry in an index. */
const REPLICAS = sql`
  create table replicas (
    replica_id uuid primary key,
    beats bigint not null default 0,
    seen pg_snapshot,
    counted pg_snapshot
  ) with (fillfactor = 10, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0)`;

const MARKS = sql`
  create table key_marks (
    mark_id bigint generated always as identity primary key,
    secret_hash bytea not null,
    transaction_id xid8 not null default pg_current_xact_id(),
    marked_at timestamptz not null default clock_timestamp()
  ) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0)`;

/** A reader of usage asks all replicas to store what they have counted of a key. */
const USAGE_QUESTIONS = sql`
  create table usage_questions (
    question_id bigint generated always as identity primary key,
    key_id text not null,
    transaction_id xid8 not null default pg_current_xact_id(),
    asked_at timestamptz not null default clock_timestamp()
  ) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0)`;

const USAGE_QUESTIONS_BY_AGE = sql`create index usage_questions_by_age on usage_questions (asked_at)`;

/** A look reads the marks of the last minute alone, however many dead rows an open transaction keeps. */
const MARKS_BY_AGE = sql`create index key_marks_by_age on key_marks (marked_at)`;

/** Since when each server has been known. After a failover, the new one may lack replicas that the old one had listed. */
const SERVERS = sql`
  create table known_servers (
    server text primary key,
    known_since timestamptz not null default clock_timestamp()
  )`;

/** Before this migration no replica was listed anywhere. */
const THIS_SERVER = sql`insert into known_servers
  values (extract(epoch from pg_postmaster_start_time())::text, clock_timestamp() - interval '1 hour')`;

/** The change log lacks changes that are visible wherever this transaction is: a replica that has not seen it starts anew. */
const PURGED = sql`alter table key_changes_watermark add column purged_by xid8`;

const CREATED = [
  ...[REPLICAS, MARKS, MARKS_BY_AGE, USAGE_QUESTIONS, USAGE_QUESTIONS_BY_AGE],
  ...[SERVERS, THIS_SERVER, PURGED],
];

/**
 * The purge, which is a trigger itself, removes what the stored snapshot shows: whoever has seen the transaction that took
 * the snapshot has seen all of that. Whatever else removes changes removes any of them.
 */
const recordCut = (schemas: readonly string[]) => sql`
  create function record_cut() returns trigger language plpgsql
  security definer set search_path = ${sql.join([...schemas, "pg_temp"].map((schema) => sql.id(schema)))} as $$
  begin
    update key_changes_watermark
    set purged_by = case when pg_trigger_depth() > 1 then transaction_id else pg_current_xact_id() end;
    return null;
  end
  $$`;

const DELETED = sql`
  create trigger key_changes_deleted after delete on key_changes for each statement execute function record_cut()`;

const TRUNCATED = sql`
  create trigger key_changes_truncated after truncate on key_changes for each statement execute function record_cut()`;
