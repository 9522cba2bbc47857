import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { createAuditTrail } from "../../src/store/sql/audit/audit-trail.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { createRedisHold } from "../../src/store/sql/replicas/deployment-redis.ts";
import { createReplicaTable } from "../../src/store/sql/replicas/replica-rows.ts";
import { createKeyLifecycle } from "../../src/store/sql/webhooks/key-lifecycle.ts";

/** Which writes of a table wait for a synchronous standby. */
type Waits =
  /** None: only the service itself relies on the rows. */
  | "none"
  /** All: callers were promised the rows. */
  | "all"
  /** All except removals of old rows. */
  | "all but removals"
  /** Those of changes, and not what the service does by itself: leases of jobs, events of the service's own. */
  | "changes";

const TABLES: Readonly<Record<string, Waits>> = {
  access_tokens: "all but removals",
  api_keys: "all but removals",
  audit_events: "changes",
  audit_retention: "none",
  deployment_redis: "none",
  erasures: "all",
  federation_rules: "all",
  impersonation_hours: "none",
  key_changes: "changes",
  // By the trigger of whichever change comes to it.
  key_changes_watermark: "changes",
  key_formats: "all",
  key_lifecycle_events: "changes",
  key_lifecycle_passes: "none",
  key_marks: "changes",
  key_policies: "all",
  key_requests: "all but removals",
  key_usage: "none",
  key_usage_hours: "none",
  known_servers: "none",
  messages: "all but removals",
  org_invitations: "all",
  org_members: "all",
  org_requests: "all",
  orgs: "all",
  promised_changes: "all but removals",
  recent_requests: "none",
  replicas: "none",
  runs: "changes",
  sent_messages: "all but removals",
  signing_keys: "all but removals",
  tenant_counts: "changes",
  tenant_suspensions: "all",
  threads: "changes",
  usage_batches: "none",
  usage_questions: "none",
  used_once: "none",
  webhook_deliveries: "changes",
  webhook_events: "changes",
  webhooks: "changes",
};

/** Has the database record, from now on, whether the commit of each statement that writes waits for a standby. */
export async function recordCommitLevels({ db }: SqlDatabase): Promise<void> {
  await sql`create table written (relation text, operation text, level text)`.execute(db);
  await sql`
    create function record_commit_level() returns trigger language plpgsql security definer as $$
    begin
      insert into written values (tg_table_name, tg_op, current_setting('synchronous_commit'));
      return null;
    end $$`.execute(db);
  for (const table of await tablesOf(db)) {
    await sql`
      create trigger record_commit_level after insert or update or delete on ${sql.id(table)}
      for each statement execute function record_commit_level()`.execute(db);
  }
}

async function tablesOf(db: SqlDatabase["db"]): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' and table_name <> 'written'
      and table_name not like 'kysely%'
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** After all other suites of the file, whose writes are checked. */
export function commitLevelsSuite(database: () => SqlDatabase): void {
  test("each table is known as one whose writes wait for a standby, or do not", async () => {
    expect(await tablesOf(database().db)).toEqual(Object.keys(TABLES));
  });

  // threat: Q11
  test("what the service writes for itself waits for no standby, and what callers were promised does", async () => {
    await writeOwnRows(database());
    const { rows } = await sql<{ relation: string; operation: string; level: string }>`
      select distinct relation, operation, level from written order by 1, 2, 3`.execute(database().db);
    const wrong = rows.filter(({ relation, operation, level }) => {
      const waits = TABLES[relation];
      if (waits === "changes") return false;
      const isOwn = waits === "none" || (waits === "all but removals" && operation === "DELETE");
      // An erasure, which callers are promised, removes rows of any table.
      return isOwn ? level === "on" && operation !== "DELETE" : level !== "on";
    });
    expect(wrong).toEqual([]);
    const own = Object.keys(TABLES).filter((table) => TABLES[table] === "none");
    expect(own.filter((table) => !rows.some(({ relation }) => relation === table))).toEqual([]);
  });
}

/** What the stores' suites do not write. */
async function writeOwnRows(database: SqlDatabase): Promise<void> {
  const table = createReplicaTable(database);
  const replicaId = randomUUID();
  await table.register(replicaId);
  const look = await table.look(replicaId, null);
  await table.renew(replicaId, look);
  await table.acknowledge(replicaId, look);
  await table.acknowledgeUsage(replicaId, look);
  await table.deleteMark((await table.insertMark("subject")).markId);
  await table.deleteUsageQuestion((await table.insertUsageQuestion("key")).questionId);
  await table.removeReplica(replicaId, 0);
  await table.leave(replicaId);
  await createRedisHold(database)({ identity: "redis", servers: "" }, 1_000);
  await createAuditTrail(database).agreeOnDays(1);
  const lifecycle = createKeyLifecycle(database);
  const pass = await lifecycle.beginPass("unused");
  if (pass === undefined) throw new Error("no pass began");
  await lifecycle.endPass(pass);
}
