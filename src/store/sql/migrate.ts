import { type MigrationProvider, Migrator } from "kysely/migration";
import type { SqlDatabase } from "./database.ts";
import { initial } from "./migrations/0001-initial.ts";
import { gateway } from "./migrations/0002-gateway.ts";

/** Every migration, in order. Listed rather than found in a folder, so that a build cannot lose or gain one. */
const MIGRATIONS: MigrationProvider = {
  getMigrations: async () => ({ "0001-initial": initial, "0002-gateway": gateway }),
};

/**
 * Brings the schema up to date and answers the names of the migrations it applied, none if there was nothing to do.
 *
 * Any number of replicas may start at once: Kysely holds an advisory lock, the others wait and then find the work done.
 * They wait, and a migration works, without the time limits that hold for requests. A migration that fails changes nothing.
 */
export async function migrateToLatest(database: SqlDatabase): Promise<string[]> {
  return database.withoutTimeLimits(async (db) => {
    const { error, results } = await new Migrator({ db, provider: MIGRATIONS }).migrateToLatest();
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

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
