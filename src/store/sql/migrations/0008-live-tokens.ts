import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** By which the tokens of a key or of a rule that have not expired are counted. The previous version does not need it. */
export const liveTokens: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create index access_tokens_of_source on access_tokens (coalesce(rule_id, key_id), expires_at)`.execute(
      db,
    );
  },
};
