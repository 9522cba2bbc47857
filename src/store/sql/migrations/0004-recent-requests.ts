import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** The recent requests (ADR 53). The previous version does not know the table, and stores nothing in it. */
export const recentRequests: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await statement.execute(db);
  },
};

/** Empty texts in place of nulls, which an index could not compare: the tenant, key and reason of a request may be missing. */
const STATEMENTS = [
  sql`
    create table recent_requests (
      at timestamptz not null,
      seq bigint generated always as identity,
      tenant_id text not null,
      key_id text not null,
      is_admitted boolean not null,
      request_id text not null,
      caller text,
      user_id text,
      address text,
      rpc text not null,
      scope text not null,
      reason text not null,
      message text not null,
      primary key (at, seq)
    )`,
  sql`create index recent_requests_of_tenant on recent_requests (tenant_id, at, seq)`,
  sql`create index recent_requests_of_tenant_denied on recent_requests (tenant_id, at, seq) where not is_admitted`,
  sql`create index recent_requests_of_tenant_by_reason on recent_requests (tenant_id, reason, at, seq)`,
  sql`create index recent_requests_of_key on recent_requests (tenant_id, key_id, is_admitted, at, seq)`,
  sql`create index recent_requests_of_user on recent_requests (tenant_id, user_id) where user_id is not null`,
  sql`create index recent_requests_by_id on recent_requests (request_id, at, seq)`,
];
