import type { Kysely } from "kysely";
import type { InvitationOffer } from "../../../domain/orgs/org-store.ts";
import type { UserKey } from "../../../domain/tokens/user-key.ts";
import type { Schema } from "../schema.ts";
import { findMakers, makerIn } from "./invitation-makers.ts";
import { INVITATION_COLUMNS, invitationOf, isSuspended } from "./invitation-rows.ts";
import { findMember } from "./member-rows.ts";

/** Reads without a lock: what is decided by it is decided again by the acceptance. */
export async function findOffer(
  db: Kysely<Schema>,
  tokenHash: Uint8Array,
  user: UserKey,
): Promise<InvitationOffer | undefined> {
  const row = await db
    .selectFrom("org_invitations")
    .select([...INVITATION_COLUMNS, "org_id"])
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { org_id: orgId } = row;
  const org = await db.selectFrom("orgs").select(["tenant_id", "name"]).where("org_id", "=", orgId).executeTakeFirst();
  if (org === undefined) return undefined;
  const invitation = invitationOf(row);
  const makers = await findMakers(db, orgId, [invitation]);
  const maker = invitation.maker === null ? undefined : await findMember(db, orgId, invitation.maker);
  return {
    invitation: { ...invitation, makerState: makerIn(makers, invitation) },
    organizationName: org.name,
    makerEmail: maker?.email ?? "",
    facts: {
      tenantId: org.tenant_id,
      isMember: (await findMember(db, orgId, user)) !== undefined,
      isSuspended: await isSuspended(db, org.tenant_id),
    },
  };
}
