import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** The first schema. Forward only: what is wrong with it is mended by a later migration. */
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

/** Apart from the keys, so that counting does not rewrite their wide rows. */
const KEY_USAGE = sql`
  create table key_usage (
    key_id text primary key,
    total bigint not null,
    successful bigint not null,
    failed bigint not null,
    check (total = successful + failed)
  )`;

/** The batches of counts stored of late: one whose answer was lost is sent again, and must not count twice. */
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

/** `user_id` is empty rather than null for nobody: nulls would not be held unique. */
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

/** What a claim walks: small however many runs there have ever been. */
const RUNS_UNFINISHED = sql`create index runs_unfinished on runs (seq) where status in ('queued', 'running')`;

/** The first unfinished run of a conversation, the only one that may be taken. */
const RUNS_FIRST = sql`
  create index runs_unfinished_of_thread on runs (thread_id, seq) where status in ('queued', 'running')`;

/** One user message and one reply for each run: a second reply is impossible, whatever the code does. */
const MESSAGES = sql`
  create table messages (
    message_id text primary key,
    run_id text not null references runs,
    role text not null check (role in ('user', 'assistant')),
    parts jsonb not null check (jsonb_typeof(parts) = 'array'),
    created_at timestamptz(3) not null,
    unique (run_id, role)
  )`;
