import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Who has made each invitation, and when their membership ended (ADR 25). The previous version keeps working: invitations
 * that it makes have no maker, and so have ended for this one.
 */
export const invitationMakers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await COLUMNS.execute(db);
    await MAKERS.execute(db);
  },
};

const COLUMNS = sql`
  alter table org_invitations
    add column maker_issuer text,
    add column maker_id text,
    add column maker_role text,
    add column ended_at timestamptz(3)`;

/**
 * The makers of open invitations, from the audit trail. Whether roles were in tokens then is not known: where the maker is a
 * member, the role that they have now must grant that of the invitation.
 */
const MAKERS = sql`
  update org_invitations
  set maker_issuer = event.actor ->> 'issuer',
    maker_id = event.actor ->> 'userId',
    maker_role = (
      select member.role from org_members member
      where member.org_id = org_invitations.org_id and member.user_id = event.actor ->> 'userId'
        and member.issuer in (event.actor ->> 'issuer', '') and member.removed_at is null
      order by member.issuer desc
      limit 1
    )
  from audit_events event
  where event.target_id = org_invitations.invitation_id and event.action = 'org.invitation.created'
    and event.actor ->> 'kind' = 'dashboard_user'
    and accepted_at is null and revoked_at is null and expires_at > now()`;
