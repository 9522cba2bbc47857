import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Members of organizations by issuer and id, invitations, and changes of memberships in the change log (ADR 24). The
 * previous version keeps working: it writes owners without an issuer, who count as users of whatever issuer.
 */
export const members: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await statement.execute(db);
  },
};

/**
 * `current_at`: when the user made it their current organization; the latest counts. A member who was removed stays as a
 * row: tokens from before may still name the tenant.
 */
const MEMBERS = [
  sql`
    alter table org_members
      add column issuer text not null default '',
      add column email text not null default '',
      add column current_at timestamptz(3),
      add column removed_at timestamptz(3),
      drop constraint org_members_role_check`,
  sql`alter table org_members drop constraint org_members_pkey, add primary key (org_id, user_id, issuer)`,
  sql`create index org_members_by_user on org_members (user_id)`,
];

/** What a user has called their organizations, so that a repeated call creates no second one. */
const REQUESTS = sql`
  create table org_requests (
    issuer text not null,
    user_id text not null,
    client_org_id text not null,
    org_id text not null,
    primary key (issuer, user_id, client_org_id)
  )`;

const INVITATIONS = [
  sql`
    create table org_invitations (
      invitation_id text primary key,
      seq bigint generated always as identity,
      org_id text not null references orgs,
      email text not null,
      role text not null,
      token_hash bytea not null unique,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      accepted_at timestamptz(3),
      revoked_at timestamptz(3)
    )`,
  sql`create index org_invitations_by_org on org_invitations (org_id, seq)`,
];

/** The hash is that of `userSubject`. By hand, a row may be given to another user: then both have changed. */
const LIST_CHANGE = sql`
  create function list_member_change() returns trigger language plpgsql as $$
  begin
    insert into key_changes (secret_hash)
    select distinct sha256(convert_to('user:' || changed, 'UTF8'))
    from unnest(array[old.user_id, new.user_id]) as changed
    where changed is not null;
    return null;
  end
  $$`;

const CHANGED = sql`
  create trigger org_member_changed after insert or update or delete on org_members
  for each row execute function list_member_change()`;

/** TRUNCATE fires no row trigger. It counts as a gap in the change log, so that replicas drop all records. */
const TRUNCATED = sql`
  create trigger org_members_truncated after truncate on org_members
  for each statement execute function record_cut()`;

const STATEMENTS = [...MEMBERS, REQUESTS, ...INVITATIONS, LIST_CHANGE, CHANGED, TRUNCATED];
