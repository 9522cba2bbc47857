import { type Kysely, sql } from "kysely";
import type { Schema } from "../schema.ts";

/**
 * Whether anything is stored of a tenant: a key, an organization, a conversation, rules, a suspension, an audit event, a recent request, a use of a key that was removed, a webhook or a token. Members
 * and invitations are those of its organization. Any tenant of a valid token is one, so there may be users of a tenant of which
 * nothing is stored; a mistyped id looks the same. Each table that has a `tenant_id` of its own belongs here.
 */
export async function isKnownTenant(db: Kysely<Schema>, tenantId: string): Promise<boolean> {
  const tables = [
    "tenant_suspensions",
    "api_keys",
    "orgs",
    "threads",
    "key_policies",
    "audit_events",
    "recent_requests",
    "webhooks",
    "webhook_events",
    "webhook_deliveries",
    "access_tokens",
    "federation_rules",
    "key_usage_hours",
  ] as const;
  const found = tables.map((table) => sql`exists (select from ${sql.table(table)} where tenant_id = ${tenantId})`);
  const { rows } = await sql<{ known: boolean }>`select ${sql.join(found, sql` or `)} as known`.execute(db);
  return rows[0]?.known === true;
}
