import { setTimeout as sleep } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import {
  DEFAULT_MIGRATION_TABLE,
  type Migration,
  type MigrationResult,
  type MigrationResultSet,
  Migrator,
} from "kysely/migration";
import { codeOf } from "../../domain/error-code.ts";
import type { SqlDatabase } from "./database.ts";
import { initial } from "./migrations/0001-initial.ts";
import { gateway } from "./migrations/0002-gateway.ts";
import { keyChanges } from "./migrations/0003-key-changes.ts";
import { lastUse } from "./migrations/0004-last-use.ts";
import { messageBytes } from "./migrations/0005-message-bytes.ts";
import { purgeByStatement } from "./migrations/0006-purge-by-statement.ts";
import { purgeAfterCommit } from "./migrations/0007-purge-after-commit.ts";
import type { Schema } from "./schema.ts";

/** Every migration, in order. Listed rather than found in a folder, so that a build cannot lose or gain one. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  "0001-initial": initial,
  "0002-gateway": gateway,
  "0003-key-changes": keyChanges,
  "0004-last-use": lastUse,
  "0005-message-bytes": messageBytes,
  "0006-purge-by-statement": purgeByStatement,
  "0007-purge-after-commit": purgeAfterCommit,
};

/** SQLSTATE of a lock that was not given in time. */
const LOCK_NOT_AVAILABLE = "55P03";
/** SQLSTATE of what the role may not do. */
const INSUFFICIENT_PRIVILEGE = "42501";
/** Time for the statements that queue behind a migration's lock, before it asks for it again. Doubled from time to time. */
const PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 10_000;

export interface MigrateOptions {
  readonly migrations?: Readonly<Record<string, Migration>>;
  /** Called whenever another session's lock is in the way, before the next attempt. */
  readonly onWait?: () => void;
}

/**
 * Brings the schema up to date and answers the names of the migrations it applied, none if there was nothing to do.
 *
 * Any number of replicas may start at once: Kysely holds an advisory lock, the others wait and then find the work done. A
 * migration may take any time, but waits for a lock only shortly, and as often as it takes: whoever asks for the table
 * meanwhile queues behind it, even to read, and of a dump's lock that would be for hours. One that fails changes nothing.
 *
 * A schema that a newer version has brought further is left as it is: migrations only add, so that this version can
 * start beside the newer one while it is rolled out, or after it is rolled back.
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

function migrate(
  db: Kysely<Schema>,
  schema: string,
  migrations: Readonly<Record<string, Migration>>,
): Promise<MigrationResultSet> {
  // Without it, tables of another schema are taken for those that are to be made.
  const migrationTableSchema = schema;
  const provider = { getMigrations: async () => ({ ...migrations }) };
  return new Migrator({ db, provider, migrationTableSchema }).migrateToLatest();
}

/**
 * The schema of the migrator's table, or the one where it is to be made, and the names in it. Asking the migrator would
 * take several times as long, since it reads the catalogue first, and nearly every start finds nothing to do.
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
  const advice =
    "As the owner of the tables, grant that role select, insert, update and delete on all tables in the schema";
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
