import { type Kysely, sql } from "kysely";
import type { Member, MembershipRecord, MembershipRecords, UserKey } from "../../domain/orgs/org.ts";
import { StoreUnavailable } from "../../domain/store-unavailable.ts";
import type { SqlDatabase } from "./database.ts";
import type { Schema } from "./schema.ts";

interface RecordsRow {
  readonly user_id: string;
  readonly is_standby: boolean;
  readonly memberships: readonly MembershipRecord[] | null;
}

/** Reads the memberships of several user ids in one statement. Throws if a standby has answered. */
export async function findMemberships(database: SqlDatabase, userIds: readonly string[]): Promise<MembershipRecords[]> {
  const ids = JSON.stringify([...new Set(userIds)]);
  const query = sql<RecordsRow>`
    select wanted.user_id, pg_is_in_recovery() as is_standby, (
      select json_agg(json_build_object(
        'issuer', issuer, 'orgId', orgs.org_id, 'tenantId', tenant_id, 'name', name, 'role', role,
        'currentAtMs', floor(extract(epoch from current_at) * 1000)::float8, 'isRemoved', removed_at is not null
      ) order by name, orgs.org_id)
      from org_members join orgs using (org_id) where org_members.user_id = wanted.user_id
    ) as memberships
    from jsonb_array_elements_text(cast(${ids} as text)::jsonb) as wanted (user_id)`.compile(database.db);
  const rows = await database.prepared("find_memberships", query);
  if (rows.some((row) => row.is_standby)) {
    throw new StoreUnavailable(new Error("The server of DATABASE_URL is a standby."));
  }
  const found = new Map(rows.map((row) => [row.user_id, { memberships: row.memberships ?? [] }]));
  return userIds.map((userId) => found.get(userId) ?? { memberships: [] });
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

/** A condition on `org_members`: rows of the user. Those without an issuer are from before issuers were kept. */
export function isUser({ issuer, userId }: UserKey) {
  return sql<boolean>`org_members.user_id = ${userId} and org_members.issuer in (${issuer}, '')`;
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
