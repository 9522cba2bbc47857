import { CompiledQuery, sql } from "kysely";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";

/** Copies a conversation for many other users, and updates the planner's statistics. */
export async function copyThread(database: SqlDatabase, threadId: string, copies: number): Promise<void> {
  await sql`
    insert into threads (thread_id, tenant_id, user_id, conversation_key, message_count, created_at, updated_at)
    select thread_id || n, tenant_id, 'user ' || n, conversation_key, message_count, created_at, updated_at
    from threads, generate_series(1, cast(${copies} as int)) as n where thread_id = ${threadId}`.execute(database.db);
  await sql`vacuum analyze threads`.execute(database.db);
}

/** Copies a run with its messages. */
export async function copyRun(database: SqlDatabase, runId: string, copies: number): Promise<void> {
  const numbers = sql`generate_series(1, cast(${copies} as int)) as n`;
  await sql`
    insert into runs (run_id, thread_id, status, not_before, created_at, updated_at)
    select run_id || n, thread_id, status, not_before, created_at, updated_at
    from runs, ${numbers} where run_id = ${runId}`.execute(database.db);
  await sql`
    insert into messages (message_id, run_id, role, parts, bytes, created_at)
    select message_id || n, run_id || n, role, parts || '[]', bytes, created_at
    from messages, ${numbers} where run_id = ${runId}`.execute(database.db);
}

/** Copies a key many times, and updates the planner's statistics. */
export async function copyKey(database: SqlDatabase, keyId: string, copies: number): Promise<void> {
  await sql`
    insert into api_keys (
      key_id, tenant_id, secret_hash, secret_prefix, type, name, description, permissions, requests_per_minute,
      requests_per_hour, burst_size, created_at, updated_at
    )
    select
      key_id || n, tenant_id, sha256(convert_to(key_id || n, 'UTF8')), secret_prefix, type, name, description,
      permissions, requests_per_minute, requests_per_hour, burst_size, created_at, updated_at
    from api_keys, generate_series(1, cast(${copies} as int)) as n where key_id = ${keyId}`.execute(database.db);
  await sql`vacuum analyze api_keys`.execute(database.db);
}

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** How many blocks the database reads for a statement. */
export async function blocksOf(database: SqlDatabase, statement: Statement | undefined): Promise<number> {
  if (statement === undefined) throw new Error("the statement was not sent");
  const explain = `explain (analyze, buffers, format json) ${statement.sql}`;
  const { rows } = await database.db.executeQuery<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>(
    CompiledQuery.raw(explain, [...statement.parameters]),
  );
  const plan = rows[0]?.["QUERY PLAN"][0].Plan ?? {};
  return (plan["Shared Hit Blocks"] ?? Number.NaN) + (plan["Shared Read Blocks"] ?? Number.NaN);
}
