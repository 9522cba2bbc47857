import { sql } from "kysely";

/**
 * The list of replicas, which cache keys under a lease (ADR 22). Its rows are updated all the time: with room in each page, an
 * update needs no new page and no entry in an index.
 */
const LIST = sql`
  create table replicas (
    replica_id uuid primary key,
    beats bigint not null default 0,
    seen pg_snapshot,
    counted pg_snapshot
  ) with (fillfactor = 10, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0)`;

/** The marks of changes under way. A look reads only those of the last minute, however many dead rows there are. */
const MARKS = [
  sql`
    create table key_marks (
      mark_id bigint generated always as identity primary key,
      secret_hash bytea not null,
      transaction_id xid8 not null default pg_current_xact_id(),
      marked_at timestamptz not null default clock_timestamp()
    ) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0)`,
  sql`create index key_marks_by_age on key_marks (marked_at)`,
];

/** A reader of usage asks all replicas to store what they have counted of a key. */
const USAGE_QUESTIONS = [
  sql`
    create table usage_questions (
      question_id bigint generated always as identity primary key,
      key_id text not null,
      transaction_id xid8 not null default pg_current_xact_id(),
      asked_at timestamptz not null default clock_timestamp()
    ) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0)`,
  sql`create index usage_questions_by_age on usage_questions (asked_at)`,
];

/**
 * Since when each server has been known. After a failover, the new one may lack replicas that the old one had listed. No
 * replica was listed anywhere before this migration, so its server has been known for long.
 */
const SERVERS = [
  sql`
    create table known_servers (
      server text primary key,
      known_since timestamptz not null default clock_timestamp()
    )`,
  sql`
    insert into known_servers
    values (extract(epoch from pg_postmaster_start_time())::text, clock_timestamp() - interval '1 hour')`,
];

/** Which Redis the replicas of this deployment use, and until when that counts without a renewal (ADR 30). */
const REDIS = [
  sql`
    create table deployment_redis (
      only_row boolean primary key default true check (only_row),
      identity text not null default '',
      servers text not null default '',
      held_until timestamptz not null default clock_timestamp()
    ) with (fillfactor = 10, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0)`,
  sql`insert into deployment_redis default values`,
];

export const REPLICAS = [LIST, ...MARKS, ...USAGE_QUESTIONS, ...SERVERS, ...REDIS];
