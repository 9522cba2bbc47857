import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { POOL_SIZE_DEFAULT } from "../config/settings.ts";
import type { SqlDatabase } from "../store/sql/driver/database.ts";
import { setupNotes } from "../store/sql/driver/setup-notes.ts";

/** Logs what operators should know of their database server. A server that is away has lines of its own. */
export async function logServerSetup(
  database: Pick<SqlDatabase, "readSetup">,
  { storage, singlePostgres }: Pick<Config, "storage" | "singlePostgres">,
  log: Logger,
): Promise<void> {
  const setup = await database.readSetup().catch(() => undefined);
  if (setup === undefined) return;
  const poolSize = (storage.kind === "postgres" && storage.poolSize) || POOL_SIZE_DEFAULT;
  for (const { level, text } of setupNotes(setup, { poolSize, isSingle: singlePostgres }))
    log[level === "warning" ? "warn" : "info"](text);
}
