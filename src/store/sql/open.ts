import { type DatabaseOptions, POOL_SIZE_DEFAULT } from "../../config/settings.ts";
import type { SqlDatabase } from "./database.ts";

/**
 * Opens the database, or throws an error whose message, one line without the password, says what to do. Only the driver
 * that is asked for is loaded.
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
