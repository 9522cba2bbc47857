import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Which Redis the replicas of this deployment use, and until when that counts without a renewal (ADR 30). The previous
 * version does not know of it, and keeps working.
 */
export const deploymentRedis: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table deployment_redis (
        only_row boolean primary key default true check (only_row),
        identity text not null default '',
        servers text not null default '',
        held_until timestamptz not null default clock_timestamp()
      ) with (fillfactor = 10, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0)`.execute(db);
    await sql`insert into deployment_redis default values`.execute(db);
  },
};
