import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Requests that failed, which are few among the many that were denied. */
export const failedRequests: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await FAILED.execute(db);
  },
};

const FAILED = sql`
  create index recent_requests_of_tenant_failed on recent_requests (tenant_id, at, seq)
  where not is_admitted and reason in ('not_found', 'internal')`;
