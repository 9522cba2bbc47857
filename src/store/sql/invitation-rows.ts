import type { Kysely } from "kysely";
import { auditedMember } from "../../domain/audit/audited-member.ts";
import type { Act } from "../../domain/audit/event.ts";
import type { Invitation } from "../../domain/orgs/invitation.ts";
import type { NewOrganization, Organization, UserKey } from "../../domain/orgs/org.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { recordChange } from "./audit-rows.ts";
import { findMember } from "./member-rows.ts";
import { givenInstant, type SqlNow } from "./now.ts";
import { offsetOf } from "./paging.ts";
import type { Schema } from "./schema.ts";

const COLUMNS = ["invitation_id", "email", "role", "created_at", "expires_at", "accepted_at", "revoked_at"] as const;

interface Row {
  readonly invitation_id: string;
  readonly email: string;
  readonly role: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly accepted_at: Date | null;
  readonly revoked_at: Date | null;
}

function invitationOf(row: Row): Invitation {
  return {
    invitationId: row.invitation_id,
    email: row.email,
    role: row.role,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    acceptedAt: row.accepted_at,
    revokedAt: row.revoked_at,
  };
}

export async function insertInvitation(
  trx: Kysely<Schema>,
  { orgId, tenantId }: NewOrganization,
  invitation: Invitation,
  tokenHash: Uint8Array,
  act: Act,
): Promise<void> {
  await trx
    .insertInto("org_invitations")
    .values({
      invitation_id: invitation.invitationId,
      org_id: orgId,
      email: invitation.email,
      role: invitation.role,
      token_hash: tokenHash,
      created_at: invitation.createdAt,
      expires_at: invitation.expiresAt,
    })
    .execute();
  const { role, invitationId } = invitation;
  await recordChange(trx, act, { tenantId, targetId: invitationId }, { after: { role } });
}

export async function listInvitations(db: Kysely<Schema>, orgId: string, page: PageRequest): Promise<Page<Invitation>> {
  const invitations = db.selectFrom("org_invitations").where("org_id", "=", orgId);
  const { total } = await invitations.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  const rows = await invitations
    .select(COLUMNS)
    .orderBy("seq", "desc")
    .limit(page.perPage)
    .offset(offsetOf(page))
    .execute();
  return { items: rows.map(invitationOf), total };
}

/** A second revocation keeps the instant of the first. */
export async function revokeInvitation(
  trx: Kysely<Schema>,
  { orgId, tenantId }: NewOrganization,
  invitationId: string,
  decide: (current: Invitation) => Date,
  act: Act,
): Promise<Invitation | undefined> {
  const row = await trx
    .selectFrom("org_invitations")
    .select(COLUMNS)
    .where("org_id", "=", orgId)
    .where("invitation_id", "=", invitationId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const revokedAt = decide(invitationOf(row));
  if (row.revoked_at !== null) return invitationOf(row);
  await trx
    .updateTable("org_invitations")
    .set({ revoked_at: revokedAt })
    .where("invitation_id", "=", invitationId)
    .execute();
  await recordChange(trx, act, { tenantId, targetId: invitationId }, { before: { role: row.role } });
  return { ...invitationOf(row), revokedAt };
}

/** A user who was removed before becomes a member again. */
export async function acceptInvitation(
  trx: Kysely<Schema>,
  tokenHash: Uint8Array,
  user: UserKey & { readonly verifiedEmail: string | null },
  decide: (invitation: Invitation, isMember: boolean) => Date,
  now: SqlNow,
  act: Act,
): Promise<Organization | undefined> {
  const row = await trx
    .selectFrom("org_invitations")
    .innerJoin("orgs", "orgs.org_id", "org_invitations.org_id")
    .select([
      ...(["invitation_id", "email", "role", "expires_at", "accepted_at", "revoked_at"] as const),
      ...(["orgs.org_id", "tenant_id", "name"] as const),
      "org_invitations.created_at",
      "orgs.created_at as org_created_at",
    ])
    .where("token_hash", "=", tokenHash)
    .forUpdate("org_invitations")
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const active = await findMember(trx, row.org_id, user);
  const acceptedAt = decide(invitationOf(row), active !== undefined);
  await trx
    .updateTable("org_invitations")
    .set({ accepted_at: givenInstant(acceptedAt) })
    .where("invitation_id", "=", row.invitation_id)
    .execute();
  const values = { role: row.role, email: row.email, created_at: now(), current_at: now() };
  await trx
    .insertInto("org_members")
    .values({ ...values, org_id: row.org_id, issuer: user.issuer, user_id: user.userId })
    .onConflict((conflict) =>
      conflict.columns(["org_id", "user_id", "issuer"]).doUpdateSet({ ...values, removed_at: null }),
    )
    .execute();
  const member = auditedMember({ ...user, role: row.role });
  await recordChange(trx, act, { tenantId: row.tenant_id, targetId: row.invitation_id }, { after: member });
  return { orgId: row.org_id, tenantId: row.tenant_id, name: row.name, createdAt: row.org_created_at };
}
