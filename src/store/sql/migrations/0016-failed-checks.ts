import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Which check denied a recent request. The previous version leaves it empty: the reason then says which. */
export const failedChecks: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table recent_requests add column failed_check text`.execute(db);
  },
};
