import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Secrets of webhooks before the previous one, each with the end of its own 24 hours. The previous version neither reads nor changes them. */
export const formerSecrets: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table webhooks add column former_secrets jsonb not null default '[]'`.execute(db);
  },
};
