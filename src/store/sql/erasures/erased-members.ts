import { type Kysely, sql } from "kysely";
import type { Removed, TenantTarget, UserTarget } from "../../../domain/erasures/erasure.ts";
import { keepOwner } from "../../../domain/orgs/members.ts";
import { OWNER } from "../../../domain/orgs/org.ts";
import { userSubject } from "../../replicas/subjects.ts";
import type { SqlNow } from "../driver/now.ts";
import { forgetMaker } from "../orgs/invitation-makers.ts";
import { isUser } from "../orgs/member-rows.ts";
import type { Schema } from "../schema.ts";
import { type FindPiece, ROWS_AT_ONCE, SUBJECTS_AT_ONCE } from "./erasure-piece.ts";

/**
 * Ends a user's membership. Its row stays as that of a removed member, because tokens from before may still name the tenant.
 * Throws `RequestFault` if the organization would have no owner left; its row is locked for that, as for every change of a
 * member.
 */
export async function removeUserFromOrg(trx: Kysely<Schema>, user: UserTarget, now: SqlNow): Promise<Removed> {
  const org = await trx
    .selectFrom("orgs")
    .select("org_id")
    .where("tenant_id", "=", user.tenantId)
    .forUpdate()
    .executeTakeFirst();
  if (org === undefined) return {};
  const { issuer, userId } = user;
  const own = issuer === null ? sql<boolean>`org_members.user_id = ${userId}` : isUser({ issuer, userId });
  const members = await trx
    .selectFrom("org_members")
    .select(["role", "email", "removed_at", own.as("is_own")])
    .where("org_id", "=", org.org_id)
    .where(({ or }) => or([own, sql<boolean>`(role = ${OWNER} and removed_at is null)`]))
    .execute();
  const owners = members.filter(({ role, removed_at }) => role === OWNER && removed_at === null);
  const others = owners.filter(({ is_own }) => !is_own);
  if (others.length < owners.length) keepOwner(others.length + 1, "erased");
  await forgetMaker(trx, org.org_id, user);
  const emails = members.flatMap(({ is_own, email }) => (is_own && email !== "" ? [email] : []));
  return {
    members: await forgetMembers(trx, org.org_id, own, now),
    invitations: await deleteInvitations(trx, org.org_id, emails),
    client_org_ids: await deleteRequests(trx, org.org_id, user),
  };
}

async function forgetMembers(
  trx: Kysely<Schema>,
  orgId: string,
  isForgotten: ReturnType<typeof isUser>,
  now: SqlNow,
): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable("org_members")
    .set((eb) => ({
      email: "",
      current_at: null,
      removed_at: eb.fn.coalesce("removed_at", now()),
    }))
    .where("org_id", "=", orgId)
    .where(isForgotten)
    .where(IS_KNOWN)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** A condition on `org_members`: more is stored than that there was such a member. */
const IS_KNOWN = sql<boolean>`(removed_at is null or email <> '' or current_at is not null)`;

async function deleteInvitations(trx: Kysely<Schema>, orgId: string, emails: readonly string[]): Promise<number> {
  if (emails.length === 0) return 0;
  const { numDeletedRows } = await trx
    .deleteFrom("org_invitations")
    .where("org_id", "=", orgId)
    .where("email", "in", emails)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function deleteRequests(trx: Kysely<Schema>, orgId: string, { issuer, userId }: UserTarget): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom("org_requests")
    .where("org_id", "=", orgId)
    .where("user_id", "=", userId)
    .$if(issuer !== null, (query) => query.where("issuer", "=", issuer ?? ""))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** The name, the invitations and the senders' ids of a tenant's organization, in one piece after another. */
export const findOrgRecords: FindPiece<TenantTarget> = async (db, { tenantId }) => {
  const org = await db
    .selectFrom("orgs")
    .select([
      "org_id",
      "name",
      sql<boolean>`exists (select from org_invitations where org_invitations.org_id = orgs.org_id)`.as(
        "has_invitations",
      ),
      sql<boolean>`exists (select from org_requests where org_requests.org_id = orgs.org_id)`.as("has_requests"),
    ])
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
  if (org === undefined || (org.name === "" && !org.has_invitations && !org.has_requests)) return undefined;
  return { subjects: [], remove: (trx) => removeOrgRecords(trx, org.org_id) };
};

async function removeOrgRecords(trx: Kysely<Schema>, orgId: string): Promise<Removed> {
  const named = await trx
    .updateTable("orgs")
    .set({ name: "" })
    .where("org_id", "=", orgId)
    .where("name", "<>", "")
    .executeTakeFirstOrThrow();
  const invitations = await trx
    .deleteFrom("org_invitations")
    .where("invitation_id", "in", ({ selectFrom }) =>
      selectFrom("org_invitations")
        .select("invitation_id")
        .where("org_id", "=", orgId)
        .orderBy("seq")
        .limit(ROWS_AT_ONCE)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow();
  const requests = await trx.deleteFrom("org_requests").where("org_id", "=", orgId).executeTakeFirstOrThrow();
  return {
    org_names: Number(named.numUpdatedRows),
    invitations: Number(invitations.numDeletedRows),
    client_org_ids: Number(requests.numDeletedRows),
  };
}

/** The members of a tenant's organization, who become removed ones without an email address. */
export function findMembers(now: SqlNow): FindPiece<TenantTarget> {
  return async (db, { tenantId }) => {
    const rows = await db
      .selectFrom("org_members")
      .innerJoin("orgs", "orgs.org_id", "org_members.org_id")
      .select(["org_members.org_id", "user_id"])
      .where("tenant_id", "=", tenantId)
      .where(IS_KNOWN)
      .orderBy("user_id")
      .limit(SUBJECTS_AT_ONCE)
      .execute();
    const [first] = rows;
    if (first === undefined) return undefined;
    const userIds = [...new Set(rows.map(({ user_id }) => user_id))];
    const areTheirs = sql<boolean>`org_members.user_id in (${sql.join(userIds)})`;
    return {
      subjects: userIds.map(userSubject),
      remove: async (trx) => ({ members: await forgetMembers(trx, first.org_id, areTheirs, now) }),
    };
  };
}
