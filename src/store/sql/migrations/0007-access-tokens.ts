import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Access tokens, and the rules by which workloads get them. The previous version does not know the tables. */
export const accessTokens: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [...SIGNING_KEYS, ...TOKENS, ...REQUESTS, ...RULES, ...USED_ONCE, ...CHANGES])
      await statement.execute(db);
  },
};

/**
 * `private_key` is encrypted under TOKEN_SECRET. At most one key is active: it signs. Without `until`, at most one other is
 * published before it signs. The rest are published until then.
 */
const SIGNING_KEYS = [
  sql`
    create table signing_keys (
      kid text primary key,
      public_jwk jsonb not null,
      private_key bytea not null,
      is_active boolean not null,
      created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
      until timestamptz(3)
    )`,
  sql`create unique index signing_keys_active on signing_keys (is_active) where is_active`,
  sql`create unique index signing_keys_next on signing_keys (is_active) where not is_active and until is null`,
];

/** A row for each token that was issued, without the token. `secret_hash` is the key's, by which its record is found. */
const TOKENS = [
  sql`
    create table access_tokens (
      token_id text primary key,
      seq bigint generated always as identity,
      tenant_id text not null,
      key_id text not null,
      secret_hash bytea not null,
      scopes jsonb not null,
      user_id text,
      audience text not null,
      confirmation_jkt text,
      rule_id text,
      created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
      expires_at timestamptz(3) not null,
      revoked_at timestamptz(3)
    )`,
  sql`create index access_tokens_of_tenant on access_tokens (tenant_id, created_at desc, seq desc)`,
  sql`create index access_tokens_of_key on access_tokens (key_id, created_at desc, seq desc)`,
  sql`create index access_tokens_of_user on access_tokens (tenant_id, user_id) where user_id is not null`,
  sql`create index access_tokens_by_expiry on access_tokens (expires_at)`,
];

/** Null: no token was sent. */
const REQUESTS = [sql`alter table recent_requests add column token_id text`];

const RULES = [
  sql`
    create table federation_rules (
      rule_id text primary key,
      tenant_id text not null,
      seq bigint generated always as identity,
      name text not null,
      issuer text not null,
      jwks_url text,
      jwks jsonb,
      audience text not null,
      claim_rules jsonb not null,
      key_id text not null,
      scopes jsonb not null,
      ttl_seconds integer not null,
      status text not null check (status in ('enabled', 'disabled')),
      created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
      updated_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
    )`,
  sql`create index federation_rules_of_tenant on federation_rules (tenant_id, seq)`,
];

/** Hashes of what may be used once: assertions of workloads, and proofs of DPoP. */
const USED_ONCE = [
  sql`create table used_once (hash bytea primary key, until timestamptz(3) not null)`,
  sql`create index used_once_by_end on used_once (until)`,
];

/**
 * As for tenants (`0001-initial/changes.ts`), with the hashes of `tokenSubject` and `ruleSubject`. Tokens that have expired are
 * removed by the million, and no cached record of theirs matters.
 */
const CHANGES = [
  sql`
    create function list_token_change() returns trigger language plpgsql as $$
  begin
    insert into key_changes (secret_hash) values (sha256(convert_to('token:' || old.token_id, 'UTF8')));
    return null;
  end
  $$`,
  sql`
    create trigger access_token_changed after update on access_tokens
    for each row execute function list_token_change()`,
  sql`
    create trigger access_token_removed after delete on access_tokens
    for each row when (old.expires_at > now()) execute function list_token_change()`,
  sql`
    create trigger access_tokens_truncated after truncate on access_tokens
    for each statement execute function record_cut()`,
  sql`
    create function list_rule_change() returns trigger language plpgsql as $$
  begin
    insert into key_changes (secret_hash) values (sha256(convert_to('rule:' || old.rule_id, 'UTF8')));
    return null;
  end
  $$`,
  sql`
    create trigger federation_rule_changed after update or delete on federation_rules
    for each row execute function list_rule_change()`,
  sql`
    create trigger federation_rules_truncated after truncate on federation_rules
    for each statement execute function record_cut()`,
];
