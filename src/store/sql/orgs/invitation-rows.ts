import type { Kysely } from "kysely";
import type { Act } from "../../../domain/audit/event.ts";
import { auditedMember } from "../../../domain/orgs/audited-member.ts";
import { OPEN_INVITATIONS_MAX, tooManyInvitations } from "../../../domain/orgs/bounds.ts";
import type { FoundInvitation, Invitation } from "../../../domain/orgs/invitation.ts";
import type { NewOrganization, Organization } from "../../../domain/orgs/org.ts";
import type { DecideAcceptance } from "../../../domain/orgs/org-store.ts";
import type { UserKey } from "../../../domain/tokens/user-key.ts";
import type { Page, PageRequest } from "../../../domain/vocabulary/page.ts";
import { recordChange } from "../audit/audit-rows.ts";
import { givenInstant, type SqlNow } from "../driver/now.ts";
import { offsetOf } from "../driver/paging.ts";
import type { Schema } from "../schema.ts";
import { findMakers, makerIn } from "./invitation-makers.ts";
import { findMember, requireRoom } from "./member-rows.ts";

export const INVITATION_COLUMNS = [
  ...(["invitation_id", "email", "role", "created_at", "expires_at", "accepted_at", "revoked_at", "ended_at"] as const),
  ...(["maker_issuer", "maker_id", "maker_role"] as const),
] as const;

interface InvitationRow {
  readonly invitation_id: string;
  readonly email: string;
  readonly role: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly accepted_at: Date | null;
  readonly revoked_at: Date | null;
  readonly ended_at: Date | null;
  readonly maker_issuer: string | null;
  readonly maker_id: string | null;
  readonly maker_role: string | null;
}

export function invitationOf(row: InvitationRow): Invitation {
  return {
    invitationId: row.invitation_id,
    email: row.email,
    role: row.role,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    acceptedAt: row.accepted_at,
    revokedAt: row.revoked_at,
    endedAt: row.ended_at,
    maker:
      row.maker_id === null ? null : { issuer: row.maker_issuer ?? "", userId: row.maker_id, role: row.maker_role },
  };
}

/** Throws if too many are open. Under the lock of the organization, so that of concurrent ones each counts those before. */
export async function insertInvitation(
  trx: Kysely<Schema>,
  { orgId, tenantId }: NewOrganization,
  invitation: Invitation,
  tokenHash: Uint8Array,
  act: Act,
): Promise<void> {
  await trx.selectFrom("orgs").select("org_id").where("org_id", "=", orgId).forNoKeyUpdate().execute();
  const beyond = await trx
    .selectFrom("org_invitations")
    .select("seq")
    .where("org_id", "=", orgId)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .where("ended_at", "is", null)
    .where("expires_at", ">", givenInstant(invitation.createdAt))
    .limit(1)
    .offset(OPEN_INVITATIONS_MAX - 1)
    .execute();
  if (beyond.length > 0) throw tooManyInvitations();
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
      maker_issuer: invitation.maker?.issuer ?? null,
      maker_id: invitation.maker?.userId ?? null,
      maker_role: invitation.maker?.role ?? null,
    })
    .execute();
  const { role, invitationId } = invitation;
  await recordChange(trx, act, { tenantId, targetId: invitationId }, { after: { role } });
}

export async function listInvitations(
  db: Kysely<Schema>,
  orgId: string,
  page: PageRequest,
): Promise<Page<FoundInvitation>> {
  const invitations = db.selectFrom("org_invitations").where("org_id", "=", orgId);
  const { total } = await invitations.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  const rows = await invitations
    .select(INVITATION_COLUMNS)
    .orderBy("seq", "desc")
    .limit(page.perPage)
    .offset(offsetOf(page))
    .execute();
  const items = rows.map(invitationOf);
  const makers = await findMakers(db, orgId, items);
  return { items: items.map((one) => ({ ...one, makerState: makerIn(makers, one) })), total };
}

export async function findInvitation(
  db: Kysely<Schema>,
  orgId: string,
  invitationId: string,
): Promise<FoundInvitation | undefined> {
  const row = await db
    .selectFrom("org_invitations")
    .select(INVITATION_COLUMNS)
    .where("org_id", "=", orgId)
    .where("invitation_id", "=", invitationId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const invitation = invitationOf(row);
  return { ...invitation, makerState: makerIn(await findMakers(db, orgId, [invitation]), invitation) };
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
    .select(INVITATION_COLUMNS)
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

/**
 * A user who was removed before becomes a member again. Locks the organization first, as every change of its members does:
 * once the removal or the new role of an invitation's maker is acknowledged, no acceptance has missed it.
 */
export async function acceptInvitation(
  trx: Kysely<Schema>,
  tokenHash: Uint8Array,
  user: UserKey & { readonly verifiedEmail: string | null },
  decide: DecideAcceptance,
  now: SqlNow,
  act: Act,
): Promise<Organization | undefined> {
  const org = await trx
    .selectFrom("orgs")
    .select(["org_id", "tenant_id", "name", "created_at"])
    .where("org_id", "=", ({ selectFrom }) =>
      selectFrom("org_invitations").select("org_id").where("token_hash", "=", tokenHash),
    )
    .forUpdate()
    .executeTakeFirst();
  if (org === undefined) return undefined;
  const row = await trx
    .selectFrom("org_invitations")
    .select(INVITATION_COLUMNS)
    .where("org_id", "=", org.org_id)
    .where("token_hash", "=", tokenHash)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { org_id: orgId, tenant_id: tenantId, name, created_at: createdAt } = org;
  const invitation = invitationOf(row);
  const makerState = makerIn(await findMakers(trx, orgId, [invitation]), invitation);
  const facts = {
    tenantId,
    isMember: (await findMember(trx, orgId, user)) !== undefined,
    isSuspended: await isSuspended(trx, tenantId),
  };
  const acceptedAt = decide({ ...invitation, makerState }, facts);
  await trx
    .updateTable("org_invitations")
    .set({ accepted_at: givenInstant(acceptedAt) })
    .where("invitation_id", "=", invitation.invitationId)
    .execute();
  const values = { role: invitation.role, email: invitation.email, created_at: now(), current_at: now() };
  await requireRoom(trx, user, orgId);
  await trx
    .insertInto("org_members")
    .values({ ...values, org_id: orgId, issuer: user.issuer, user_id: user.userId })
    .onConflict((conflict) =>
      conflict.columns(["org_id", "user_id", "issuer"]).doUpdateSet({ ...values, removed_at: null }),
    )
    .execute();
  const member = auditedMember({ ...user, role: invitation.role });
  await recordChange(trx, act, { tenantId, targetId: invitation.invitationId }, { after: member });
  return { orgId, tenantId, name, createdAt };
}

export async function isSuspended(trx: Kysely<Schema>, tenantId: string): Promise<boolean> {
  const row = await trx
    .selectFrom("tenant_suspensions")
    .select("tenant_id")
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
  return row !== undefined;
}
