import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** The first schema. Migrations go forward only: a later one fixes the mistakes of an earlier one. */
export const initial: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const keys = [API_KEYS, KEYS_OF_TENANT, KEY_USAGE, USAGE_BATCHES, USAGE_BATCHES_BY_AGE];
    const runs = [RUNS, RUNS_OF_THREAD, RUNS_UNFINISHED, RUNS_FIRST];
    for (const statement of [...keys, ORGS, ORG_MEMBERS, THREADS, THREADS_OF_TENANT, ...runs, MESSAGES]) {
      await statement.execute(db);
    }
  },
};

const API_KEYS = sql`
  create table api_keys (
    key_id text primary key,
    tenant_id text not null,
    seq bigint generated always as identity unique,
    secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
    secret_prefix text not null,
    type text not null check (type in ('secret', 'publishable')),
    name text not null,
    description text not null,
    permissions jsonb not null check (jsonb_typeof(permissions) = 'array'),
    requests_per_minute int not null check (requests_per_minute >= 0),
    requests_per_hour int not null check (requests_per_hour >= 0),
    burst_size int not null check (burst_size >= 0),
    oidc jsonb,
    expires_at timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    last_used_at timestamptz(3),
    disabled_at timestamptz(3),
    revoked_at timestamptz(3),
    rotated_to text,
    rotated_from text
  )`;

const KEYS_OF_TENANT = sql`create index api_keys_of_tenant on api_keys (tenant_id, created_at desc, seq desc)`;

/** A table of its own, so that counting does not rewrite the wide rows of the keys. */
const KEY_USAGE = sql`
  create table key_usage (
    key_id text primary key,
    total bigint not null,
    successful bigint not null,
    failed bigint not null,
    check (total = successful + failed)
  )`;

/**
 * The batches of counts that were stored recently: if the reply is lost, a batch is sent again, and must not count
 * twice.
 */
const USAGE_BATCHES = sql`
  create table usage_batches (
    batch_id text primary key,
    stored_at timestamptz(3) not null default now()
  )`;

const USAGE_BATCHES_BY_AGE = sql`create index usage_batches_by_age on usage_batches (stored_at)`;

const ORGS = sql`
  create table orgs (
    org_id text primary key,
    tenant_id text not null unique,
    name text not null,
    created_at timestamptz(3) not null
  )`;

const ORG_MEMBERS = sql`
  create table org_members (
    org_id text not null references orgs,
    user_id text not null,
    role text not null check (role in ('owner')),
    created_at timestamptz(3) not null,
    primary key (org_id, user_id)
  )`;

/** Without a user, `user_id` is empty and not null: a unique constraint does not compare nulls as equal. */
const THREADS = sql`
  create table threads (
    thread_id text primary key,
    tenant_id text not null,
    user_id text not null default '',
    conversation_key text not null,
    message_count int not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    unique (tenant_id, user_id, conversation_key)
  )`;

const THREADS_OF_TENANT = sql`
  create index threads_of_tenant on threads (tenant_id, updated_at desc, thread_id desc)`;

const RUNS = sql`
  create table runs (
    run_id text primary key,
    thread_id text not null references threads,
    seq bigint generated always as identity,
    status text not null check (status in ('queued', 'running', 'completed', 'failed')),
    error text not null default '',
    attempts int not null default 0,
    lease_token text,
    lease_until timestamptz(3),
    not_before timestamptz(3) not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    check ((status = 'running') = (lease_token is not null and lease_until is not null))
  )`;

const RUNS_OF_THREAD = sql`create unique index runs_of_thread on runs (thread_id, seq desc)`;

/** The index that a claim scans. It stays small, however many runs there have been. */
const RUNS_UNFINISHED = sql`create index runs_unfinished on runs (seq) where status in ('queued', 'running')`;

/** Finds the first unfinished run of a conversation, the only one that may be claimed. */
const RUNS_FIRST = sql`
  create index runs_unfinished_of_thread on runs (thread_id, seq) where status in ('queued', 'running')`;

/** One user message and one reply for each run: the unique constraint makes a second reply impossible. */
const MESSAGES = sql`
  create table messages (
    message_id text primary key,
    run_id text not null references runs,
    role text not null check (role in ('user', 'assistant')),
    parts jsonb not null check (jsonb_typeof(parts) = 'array'),
    created_at timestamptz(3) not null,
    unique (run_id, role)
  )`;
