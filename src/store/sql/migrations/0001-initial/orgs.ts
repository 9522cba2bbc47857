import { sql } from "kysely";

/** A tenant is suspended if it has a row (ADR 24). */
const SUSPENSIONS = sql`
  create table tenant_suspensions (
    tenant_id text primary key,
    reason text not null,
    suspended_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
  )`;

const ORGS_TABLE = sql`
  create table orgs (
    org_id text primary key,
    tenant_id text not null unique,
    name text not null,
    created_at timestamptz(3) not null
  )`;

/**
 * Members by issuer and id. `current_at`: when the user made it their current organization; the latest counts. A member who
 * was removed stays as a row: tokens from before may still name the tenant.
 */
const MEMBERS = [
  sql`
    create table org_members (
      org_id text not null references orgs,
      user_id text not null,
      role text not null,
      created_at timestamptz(3) not null,
      issuer text not null,
      email text not null default '',
      current_at timestamptz(3),
      removed_at timestamptz(3),
      primary key (org_id, user_id, issuer)
    )`,
  sql`create index org_members_by_user on org_members (user_id)`,
  // In the order of the list of members.
  sql`create index org_members_of_org on org_members (org_id, created_at, user_id) where removed_at is null`,
];

/** The request ids of a user's organizations, so that a repeated call creates no second one. */
const REQUESTS = sql`
  create table org_requests (
    issuer text not null,
    user_id text not null,
    client_org_id text not null,
    org_id text not null,
    primary key (issuer, user_id, client_org_id)
  )`;

/** With who has made each, and when their membership ended (ADR 25). */
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
      revoked_at timestamptz(3),
      maker_issuer text,
      maker_id text,
      maker_role text,
      ended_at timestamptz(3)
    )`,
  sql`create index org_invitations_by_org on org_invitations (org_id, seq)`,
  // Finds the open ones of an organization, of which there are at most 1,000.
  sql`
    create index org_invitations_open on org_invitations (org_id, expires_at)
    where accepted_at is null and revoked_at is null`,
];

export const ORGS = [SUSPENSIONS, ORGS_TABLE, ...MEMBERS, REQUESTS, ...INVITATIONS];
