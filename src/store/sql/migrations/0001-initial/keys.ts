import { sql } from "kysely";

/**
 * `metadata` is `json`, which keeps the text: `jsonb` would write 1e300 with three hundred digits. The identities in
 * `created_by` and `revoked_by` are not references: they outlive what they name.
 */
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
    disabled_at timestamptz(3),
    revoked_at timestamptz(3),
    rotated_to text,
    rotated_from text,
    created_by jsonb,
    revoked_by jsonb,
    metadata json,
    external_id text,
    allowed_ips jsonb not null default '[]',
    allowed_origins jsonb not null default '[]',
    allow_browser boolean not null default false,
    user_requests_per_minute int not null default 0,
    user_requests_per_hour int not null default 0,
    user_burst_size int not null default 0,
    budget_id text,
    leaked_at timestamptz(3),
    leak_url text,
    leak_source text
  )`;

/**
 * The scopes of a key as numbers, each with its tenant: a GIN index cannot have a text column beside a list without an
 * extension. Two scopes may share a number, so statements compare the scopes, too.
 */
const SCOPE_NUMBERS = sql`
  create function key_scope_numbers(tenant_id text, permissions jsonb) returns bigint[]
  language sql immutable parallel safe as $$
    select array(
      select hashtextextended(tenant_id || chr(10) || scope, 0) from jsonb_array_elements_text(permissions) as scope
    )
  $$`;

/** An index for each filter of each list (ADR 46), so that a list costs what it finds and not what its tenant has. */
const INDEXES = [
  sql`create index api_keys_of_tenant on api_keys (tenant_id, created_at desc, seq desc)`,
  sql`create index api_keys_by_external_id on api_keys (tenant_id, external_id) where external_id is not null`,
  sql`
    create index api_keys_revoked on api_keys (tenant_id, created_at desc, seq desc)
    where revoked_at is not null`,
  sql`
    create index api_keys_disabled on api_keys (tenant_id, created_at desc, seq desc)
    where revoked_at is null and disabled_at is not null`,
  // Active and expired keys are two ranges of it.
  sql`
    create index api_keys_by_expiry on api_keys (tenant_id, (coalesce(expires_at, 'infinity')))
    include (expires_at, created_at, seq) where revoked_at is null and disabled_at is null`,
  sql`create index api_keys_by_type on api_keys (tenant_id, type, created_at desc, seq desc)`,
  sql`create index api_keys_by_name on api_keys (tenant_id, (lower(name collate "C")) text_pattern_ops)`,
  sql`create index api_keys_of_tenant_by_prefix on api_keys (tenant_id, secret_prefix text_pattern_ops)`,
  sql`create index api_keys_by_prefix on api_keys (secret_prefix text_pattern_ops)`,
  sql`
    create index api_keys_by_scope on api_keys using gin (key_scope_numbers(tenant_id, permissions))
    with (fastupdate = off)`,
];

/** The rules of tenants for their keys (ADR 39). */
const POLICIES = sql`create table key_policies (tenant_id text primary key, policy jsonb not null)`;

/**
 * The calls of the last day that made a key and have an id of their caller's, so that a repetition makes no second one. Only
 * hashes: nothing shows the caller and the content.
 */
const REQUESTS = [
  sql`
    create table key_requests (
      request_hash bytea primary key,
      content_hash bytea not null,
      key_id text not null,
      made_at timestamptz(3) not null
    )`,
  sql`create index key_requests_by_age on key_requests (made_at)`,
];

/**
 * A table of its own, so that counting does not rewrite the wide rows of the keys. An updated row that fits into its page
 * needs no new entry in the index.
 */
const USAGE = sql`
  create table key_usage (
    key_id text primary key,
    total bigint not null,
    successful bigint not null,
    failed bigint not null,
    last_used_at timestamptz(3),
    check (total = successful + failed)
  ) with (fillfactor = 50)`;

/**
 * The batches of counts that were stored recently: if the reply is lost, a batch is sent again, and must not count
 * twice.
 */
const BATCHES = [
  sql`
    create table usage_batches (
      batch_id text primary key,
      stored_at timestamptz(3) not null default now()
    )`,
  sql`create index usage_batches_by_age on usage_batches (stored_at)`,
];

/**
 * Uses of keys by the hour and the outcome (ADR 28). `outcome` is empty for successful uses, else why they failed. The rows of
 * the current hour are updated each second: an updated row that fits into its page needs no new entry in the indexes.
 */
const HOURS = [
  sql`
    create table key_usage_hours (
      tenant_id text not null,
      key_id text not null,
      hour timestamptz(0) not null,
      outcome text not null,
      count bigint not null check (count > 0),
      primary key (key_id, hour, outcome)
    ) with (fillfactor = 50)`,
  sql`create index key_usage_hours_of_tenant on key_usage_hours (tenant_id, hour)`,
  sql`create index key_usage_hours_by_age on key_usage_hours (hour)`,
];

export const KEYS = [API_KEYS, SCOPE_NUMBERS, ...INDEXES, POLICIES, ...REQUESTS, USAGE, ...BATCHES, ...HOURS];
