import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** The rules of tenants for their keys (ADR 39). The previous version does not know of them, and keeps working. */
export const keyPolicies: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table key_policies (tenant_id text primary key, policy jsonb not null)`.execute(db);
  },
};
