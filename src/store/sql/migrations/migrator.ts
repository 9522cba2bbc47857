import { setTimeout as sleep } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import {
  DEFAULT_MIGRATION_TABLE,
  type Migration,
  type MigrationResult,
  type MigrationResultSet,
  Migrator,
} from "kysely/migration";
import { codeOf } from "../../../domain/vocabulary/error-code.ts";
import type { SqlDatabase } from "../driver/database.ts";
import type { Schema } from "../schema.ts";
import { initial } from "./0001-initial/initial.ts";
import { operatorNight } from "./0002-operator-night.ts";
import { recentRequests } from "./0004-recent-requests.ts";
import { webhooks } from "./0005-webhooks.ts";
import { keyFilters } from "./0006-key-filters.ts";
import { accessTokens } from "./0007-access-tokens.ts";
import { liveTokens } from "./0008-live-tokens.ts";
import { promisedChanges } from "./0009-promised-changes.ts";
import { sharedBudgets } from "./0010-shared-budgets.ts";
import { formerSecrets } from "./0011-former-secrets.ts";
import { lostChanges } from "./0012-lost-changes.ts";
import { tenantCounts } from "./0013-tenant-counts.ts";
import { runDeadlines } from "./0015-run-deadlines.ts";
import { failedChecks } from "./0016-failed-checks.ts";
import { importedKeys } from "./0017-imported-keys.ts";
import { failedRequests } from "./0018-failed-requests.ts";

/** Every migration, in order. A list and not a folder listing, so that a build cannot lose or add one. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  "0001-initial": initial,
  "0002-operator-night": operatorNight,
  "0004-recent-requests": recentRequests,
  "0005-webhooks": webhooks,
  "0006-key-filters": keyFilters,
  "0007-access-tokens": accessTokens,
  "0008-live-tokens": liveTokens,
  "0009-promised-changes": promisedChanges,
  "0010-shared-budgets": sharedBudgets,
  "0011-former-secrets": formerSecrets,
  "0012-lost-changes": lostChanges,
  "0013-tenant-counts": tenantCounts,
  "0015-run-deadlines": runDeadlines,
  "0016-failed-checks": failedChecks,
  "0017-imported-keys": importedKeys,
  "0018-failed-requests": failedRequests,
};

/** SQLSTATE of a lock timeout. */
const LOCK_NOT_AVAILABLE = "55P03";
/** SQLSTATE of a statement for which the role has no privilege. */
const INSUFFICIENT_PRIVILEGE = "42501";
/** Pause before a migration requests its lock again, so that the statements behind it can run. Doubled each time. */
const PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 10_000;

export interface MigrateOptions {
  readonly migrations?: Readonly<Record<string, Migration>>;
  /** Called after each attempt that failed because of another session's lock. */
  readonly onWait?: () => void;
}

/**
 * Brings the schema up to date and returns the names of the migrations that it applied.
 *
 * Any number of replicas may start at once: Kysely takes an advisory lock, so that the others wait and then find the
 * work done. A failed migration changes nothing.
 *
 * A migration may run for any time, but it waits only shortly for a lock, and then retries. While it waits, every
 * statement on the table queues behind it, even reads; behind the lock of a dump that would last for hours.
 *
 * A schema of a newer version is left unchanged. Migrations only add, so that this version can start beside the newer
 * one during a rollout, or after a rollback.
 */
export async function migrateToLatest(database: SqlDatabase, options: MigrateOptions = {}): Promise<string[]> {
  const { migrations = MIGRATIONS, onWait = () => {} } = options;
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    const { schema, executed } = await readMigrated(database.db).catch((err: unknown) => {
      throw err instanceof Error && codeOf(err) === INSUFFICIENT_PRIVILEGE ? unreadable(err) : err;
    });
    if (Object.keys(migrations).every((name) => executed.has(name))) return [];
    const { error, results = [] } = await database.withoutTimeLimits((db) => migrate(db, schema, migrations));
    if (error === undefined) return results.map((result) => result.migrationName);
    if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw failureOf(error, results);
    onWait();
    await sleep(pauseMs);
  }
}

/** The names of the migrations that the schema still lacks, in order. */
export async function pendingMigrations({ db }: Pick<SqlDatabase, "db">): Promise<string[]> {
  const { executed } = await readMigrated(db);
  return Object.keys(MIGRATIONS).filter((name) => !executed.has(name));
}

function migrate(
  db: Kysely<Schema>,
  schema: string,
  migrations: Readonly<Record<string, Migration>>,
): Promise<MigrationResultSet> {
  // Without it, Kysely mistakes tables of another schema for those that it should create.
  const migrationTableSchema = schema;
  const provider = { getMigrations: async () => ({ ...migrations }) };
  return new Migrator({ db, provider, migrationTableSchema }).migrateToLatest();
}

/**
 * The schema of the migrator's table, or the schema in which it will be created, and the names in the table. The
 * migrator itself would take several times as long, because it reads the catalogue first, and nearly every start finds
 * nothing to do.
 */
async function readMigrated(db: Kysely<Schema>): Promise<{ schema: string; executed: ReadonlySet<string> }> {
  const { rows: found } = await sql<{ known: string | null; current: string }>`
    select current_schema() as current, (
      select nspname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where pg_class.oid = to_regclass(${sql.lit(DEFAULT_MIGRATION_TABLE)})
    ) as known`.execute(db);
  const { known = null, current = "public" } = found[0] ?? {};
  if (known === null) return { schema: current, executed: new Set() };
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db);
  return { schema: known, executed: new Set(rows.map(({ name }) => name)) };
}

function unreadable(cause: Error): Error {
  const advice = "As the owner of the tables, grant that role what `latchkey privileges postgres` prints";
  return new Error(`The role of DATABASE_URL may not read the database: ${cause.message}. ${advice}.`, { cause });
}

function failureOf(error: unknown, results: readonly MigrationResult[]): Error {
  const failed = results.find((result) => result.status === "Error")?.migrationName;
  const reason = error instanceof Error ? error.message : String(error);
  const advice =
    codeOf(error) === INSUFFICIENT_PRIVILEGE
      ? ". Run `npm run migrate` with the owner of the tables in DATABASE_URL, then start again"
      : "";
  return new Error(
    failed === undefined
      ? `The database schema could not be brought up to date: ${reason}${advice}`
      : `Migration ${failed} failed and was rolled back: ${reason}${advice}`,
    { cause: error },
  );
}
