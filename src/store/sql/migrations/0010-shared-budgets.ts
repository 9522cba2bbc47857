import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Finds the keys that spend from one budget, so that a request knows whether another one is valid. The previous version does not need it. */
export const sharedBudgets: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create index if not exists api_keys_by_budget on api_keys (budget_id) where budget_id is not null`.execute(
      db,
    );
  },
};
