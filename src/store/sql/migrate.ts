import { type Kysely, sql } from "kysely";
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from "kysely/migration";
import type { SqlDatabase } from "./database.ts";
import { initial } from "./migrations/0001-initial.ts";
import { gateway } from "./migrations/0002-gateway.ts";
import { keyChanges } from "./migrations/0003-key-changes.ts";
import { lastUse } from "./migrations/0004-last-use.ts";
import { messageBytes } from "./migrations/0005-message-bytes.ts";
import type { Schema } from "./schema.ts";

/** Every migration, in order. Listed rather than found in a folder, so that a build cannot lose or gain one. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  "0001-initial": initial,
  "0002-gateway": gateway,
  "0003-key-changes": keyChanges,
  "0004-last-use": lastUse,
  "0005-message-bytes": messageBytes,
};

/**
 * Brings the schema up to date and answers the names of the migrations it applied, none if there was nothing to do.
 *
 * Any number of replicas may start at once: Kysely holds an advisory lock, the others wait and then find the work done.
 * They wait, and a migration works, without the time limits that hold for requests. A migration that fails changes nothing.
 *
 * A schema that a newer version has brought further is left as it is: migrations only add, so that this version can
 * start beside the newer one while it is rolled out, or after it is rolled back.
 */
export async function migrateToLatest(
  database: SqlDatabase,
  migrations: Readonly<Record<string, Migration>> = MIGRATIONS,
): Promise<string[]> {
  const names = Object.keys(migrations);
  const executed = await executedMigrations(database.db);
  if (names.every((name) => executed.has(name))) return [];
  return database.withoutTimeLimits(async (db) => {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
    const { error, results } = await migrator.migrateToLatest();
    if (error !== undefined) {
      const failed = results?.find((result) => result.status === "Error")?.migrationName;
      throw new Error(
        failed === undefined
          ? `The database schema could not be brought up to date: ${reason(error)}`
          : `Migration ${failed} failed and was rolled back: ${reason(error)}`,
        { cause: error },
      );
    }
    return (results ?? []).map((result) => result.migrationName);
  });
}

/**
 * The names in the migrator's table; none if it is not there. Asking the migrator would take several times as long, since
 * it reads the catalogue first, and nearly every start finds nothing to do.
 */
async function executedMigrations(db: Kysely<Schema>): Promise<ReadonlySet<string>> {
  const { rows: known } = await sql<{ known: boolean }>`
    select to_regclass(${sql.lit(DEFAULT_MIGRATION_TABLE)}) is not null as known`.execute(db);
  if (known[0]?.known !== true) return new Set();
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
