import { type Kysely, sql } from "kysely";
import { ORGS_OF_USER_MAX, tooManyOrgs } from "../../../domain/orgs/bounds.ts";
import type { Member, Membership, MembershipRecord, MembershipRecords } from "../../../domain/orgs/org.ts";
import type { UserKey } from "../../../domain/tokens/user-key.ts";
import type { Page, PageRequest } from "../../../domain/vocabulary/page.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { isStale, refuseStale } from "../driver/history.ts";
import { type Listed, offsetOf, pageOf } from "../driver/paging.ts";
import type { Schema } from "../schema.ts";

interface RecordsRow {
  readonly user_id: string;
  readonly is_stale: boolean;
  readonly memberships: readonly MembershipRecord[] | null;
}

/** Reads the memberships of several user ids in one statement. Throws if the server may lack a change. */
export async function findMemberships(database: SqlDatabase, userIds: readonly string[]): Promise<MembershipRecords[]> {
  const ids = JSON.stringify([...new Set(userIds)]);
  const query = sql<RecordsRow>`
    select wanted.user_id, ${isStale(database.history)} as is_stale, (
      select json_agg(json_build_object(
        'issuer', issuer, 'orgId', orgs.org_id, 'tenantId', tenant_id, 'name', name, 'role', role,
        'currentAtMs', floor(extract(epoch from current_at) * 1000)::float8, 'isRemoved', removed_at is not null
      ) order by name, orgs.org_id)
      from org_members join orgs using (org_id) where org_members.user_id = wanted.user_id
    ) as memberships
    from jsonb_array_elements_text(cast(${ids} as text)::jsonb) as wanted (user_id)`.compile(database.db);
  const rows = await database.prepared("find_memberships", query);
  refuseStale(rows);
  const found = new Map(rows.map((row) => [row.user_id, { memberships: row.memberships ?? [] }]));
  return userIds.map((userId) => found.get(userId) ?? { memberships: [] });
}

interface MembershipRow {
  readonly org_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly role: string;
  readonly is_current: boolean;
}

/** One page of what `userStateOf` returns of a user, who has at most 1,000 in all. */
export async function listMemberships(db: Kysely<Schema>, user: UserKey, page: PageRequest): Promise<Page<Membership>> {
  const { rows } = await sql<Listed<MembershipRow, "org_id">>`
    with own as materialized (
      select org_id, tenant_id, name, role, count(*) over () = 1 or (
        current_at is not null and row_number() over (order by current_at desc nulls last, name, org_id) = 1
      ) as is_current
      from org_members join orgs using (org_id)
      where ${isUser(user)} and removed_at is null
    )
    select counted.total, listed.*
    from (select count(*)::int as total from own) as counted
    left join (
      select * from own order by name, org_id limit ${page.perPage} offset ${offsetOf(page)}
    ) as listed on true
    order by name, org_id`.execute(db);
  return pageOf(rows, (row) =>
    row.org_id === null
      ? []
      : [{ orgId: row.org_id, tenantId: row.tenant_id, name: row.name, role: row.role, isCurrent: row.is_current }],
  );
}

/**
 * Throws if the user has no room for one more organization, which may be `orgId`. Until the transaction ends, the user joins no
 * other, so that of concurrent ones each counts those before.
 */
export async function requireRoom(trx: Kysely<Schema>, { issuer, userId }: UserKey, orgId: string): Promise<void> {
  const lockName = JSON.stringify(["memberships", issuer, userId]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${lockName}, 0))`.execute(trx);
  const { rows } = await sql`
    select from org_members where ${isUser({ issuer, userId })} and org_id <> ${orgId}
    limit 1 offset ${sql.lit(ORGS_OF_USER_MAX - 1)}`.execute(trx);
  if (rows.length > 0) throw tooManyOrgs();
}

export interface MemberRow {
  readonly issuer: string;
  readonly user_id: string;
  readonly role: string;
  readonly email: string;
  readonly created_at: Date;
}

export const MEMBER_COLUMNS = ["issuer", "user_id", "role", "email", "created_at"] as const;

export function memberOf({ issuer, user_id, role, email, created_at }: MemberRow): Member {
  return { issuer, userId: user_id, role, email, createdAt: created_at };
}

/** A condition on `org_members`: rows of the user. */
export function isUser({ issuer, userId }: UserKey) {
  return sql<boolean>`org_members.user_id = ${userId} and org_members.issuer = ${issuer}`;
}

/** The active member of an organization, by the user. */
export async function findMember(trx: Kysely<Schema>, orgId: string, user: UserKey): Promise<MemberRow | undefined> {
  return trx
    .selectFrom("org_members")
    .select(MEMBER_COLUMNS)
    .where("org_id", "=", orgId)
    .where("removed_at", "is", null)
    .where(isUser(user))
    .executeTakeFirst();
}
