import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Finds the open invitations of an organization, of which there are at most 1,000. The previous version keeps working, and
 * knows of no bound. Invitations are few beside keys: building the index takes less than a second for a million of them.
 */
export const openInvitations: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create index if not exists org_invitations_open on org_invitations (org_id, expires_at)
      where accepted_at is null and revoked_at is null`.execute(db);
  },
};
