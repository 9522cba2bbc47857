/** A privilege on a table, as `grant` names it. */
export type Privilege = "select" | "insert" | "update" | "delete";

/**
 * The rights that the serving role needs on each table, and no more: `latchkey privileges postgres` prints it, the start and
 * `latchkey doctor` compare it with what the role has, and the tests on PostgreSQL run with exactly this.
 *
 * `select … for update` needs `update`. Triggers run with the role's own privileges, except those that purge the change
 * log and those that count. Sequences need none: the columns are identities.
 */
export const TABLE_PRIVILEGES: Readonly<Record<string, readonly Privilege[]>> = {
  access_tokens: ["select", "insert", "update", "delete"],
  api_keys: ["select", "insert", "update", "delete"],
  audit_events: ["select", "insert", "update", "delete"],
  audit_retention: ["select", "update"],
  deployment_redis: ["select", "update"],
  erasures: ["select", "insert", "update", "delete"],
  federation_rules: ["select", "insert", "update", "delete"],
  impersonation_hours: ["select", "insert", "update", "delete"],
  key_changes: ["select", "insert"],
  key_changes_watermark: ["select"],
  key_formats: ["select", "insert", "delete"],
  key_lifecycle_events: ["select", "insert", "delete"],
  key_lifecycle_passes: ["select", "update"],
  key_marks: ["select", "insert", "update", "delete"],
  key_policies: ["select", "insert", "update", "delete"],
  key_requests: ["select", "insert", "update", "delete"],
  key_usage: ["select", "insert", "update", "delete"],
  key_usage_hours: ["select", "insert", "update", "delete"],
  known_servers: ["select", "insert"],
  kysely_migration: ["select"],
  kysely_migration_lock: [],
  messages: ["select", "insert", "delete"],
  org_invitations: ["select", "insert", "update", "delete"],
  org_members: ["select", "insert", "update"],
  org_requests: ["select", "insert", "delete"],
  orgs: ["select", "insert", "update"],
  promised_changes: ["select", "insert", "update", "delete"],
  recent_requests: ["select", "insert", "update", "delete"],
  replicas: ["select", "insert", "update", "delete"],
  runs: ["select", "insert", "update", "delete"],
  sent_messages: ["select", "insert", "delete"],
  signing_keys: ["select", "insert", "update", "delete"],
  tenant_counts: ["select"],
  tenant_suspensions: ["select", "insert", "update", "delete"],
  threads: ["select", "insert", "update", "delete"],
  usage_batches: ["select", "insert", "delete"],
  usage_questions: ["select", "insert", "update", "delete"],
  used_once: ["select", "insert", "update", "delete"],
  webhook_deliveries: ["select", "insert", "update", "delete"],
  webhook_events: ["select", "insert", "update", "delete"],
  webhooks: ["select", "insert", "update", "delete"],
};
