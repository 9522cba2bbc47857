import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Where a key was found that was reported as leaked. The previous version shows and changes such a key as a disabled one. */
export const leaks: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      alter table api_keys
        add column leaked_at timestamptz(3),
        add column leak_url text,
        add column leak_source text`.execute(db);
  },
};
