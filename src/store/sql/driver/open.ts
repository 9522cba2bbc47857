import { type DatabaseOptions, POOL_SIZE_DEFAULT } from "../../../config/settings.ts";
import type { SqlDatabase } from "./database.ts";

/**
 * Opens the database. Loads only the driver that it needs. If it fails, it throws an error whose message says what to
 * do, in one line without the password.
 */
export async function openDatabase(options: DatabaseOptions): Promise<SqlDatabase> {
  switch (options.kind) {
    case "embedded":
      return (await import("./embedded.ts")).openEmbedded(options.dataDir);
    case "postgres":
      return (await import("./postgres.ts")).openPostgres(options.url, options.poolSize ?? POOL_SIZE_DEFAULT);
    default:
      return options satisfies never;
  }
}
