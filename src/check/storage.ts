import type { Config } from "../config/config.ts";
import { POOL_SIZE_DEFAULT } from "../config/settings.ts";
import type { SqlDatabase } from "../store/sql/driver/database.ts";
import { openDatabase } from "../store/sql/driver/open.ts";
import { mayCreateTables, missingPrivileges, tablesOfOthers } from "../store/sql/driver/rights.ts";
import { serverVersion } from "../store/sql/driver/server-version.ts";
import { setupNotes } from "../store/sql/driver/setup-notes.ts";
import { pendingMigrations } from "../store/sql/migrations/migrator.ts";
import { type Finding, type Findings, reasonOf } from "./finding.ts";
import { checkSigningKeys } from "./signing-keys.ts";

type CheckedConfig = Pick<Config, "storage" | "singlePostgres" | "accessTokens">;

/** Whose privileges to check: those of the role that serves, or of the one that migrates before. */
export type Role = "serving" | "migrating";

const SUBJECT = "postgresql";

const ok = (text: string): Finding => ({ level: "ok", subject: SUBJECT, text });
const warning = (text: string): Finding => ({ level: "warning", subject: SUBJECT, text });
const problem = (text: string): Finding => ({ level: "problem", subject: SUBJECT, text });

/**
 * PostgreSQL: reachable, its version, its schema, what the role may do, and for tokens whether their signing keys can be
 * decrypted. It changes nothing.
 */
export async function* checkStorage(config: CheckedConfig, role: Role): Findings {
  const { storage: options } = config;
  if (options.kind === "embedded") {
    // One process at a time has it open, which may be the service itself.
    yield ok(`the embedded store in ${options.dataDir} is not opened by this check`);
    return;
  }
  let database: SqlDatabase;
  try {
    database = await openDatabase(options);
  } catch (err) {
    yield problem(reasonOf(err));
    return;
  }
  try {
    yield* checkOpen(database, role, config);
  } catch (err) {
    yield problem(reasonOf(err));
  } finally {
    await database.close();
  }
}

async function* checkOpen(database: SqlDatabase, role: Role, config: CheckedConfig): Findings {
  yield ok(`version ${await serverVersion(database)} is reachable`);
  await database.ping();
  const pooler = await database.poolerProblem();
  if (pooler !== undefined) yield problem(pooler);
  const pending = await pendingMigrations(database);
  yield pending.length === 0
    ? ok("the schema is up to date")
    : warning(`the schema lacks ${pending.join(", ")}: run \`latchkey migrate\`, or start a version that may migrate`);
  yield* role === "serving" ? checkServing(database) : checkMigrating(database);
  if (role !== "serving" || pending.length > 0) return;
  yield* checkSetup(database, config);
  if (config.accessTokens !== null) yield* checkSigningKeys(database, config.accessTokens);
}

async function* checkServing(database: SqlDatabase): Findings {
  const missing = await missingPrivileges(database);
  for (const { privilege, table } of missing) {
    yield problem(`the role of DATABASE_URL lacks ${privilege} on ${table}: see \`latchkey privileges postgres\``);
  }
  if (missing.length === 0) yield ok("the role has all privileges that serving needs");
}

async function* checkSetup(database: SqlDatabase, { storage, singlePostgres }: CheckedConfig): Findings {
  const setup = await database.readSetup();
  if (setup === undefined) return;
  const poolSize = (storage.kind === "postgres" && storage.poolSize) || POOL_SIZE_DEFAULT;
  for (const note of setupNotes(setup, { poolSize, isSingle: singlePostgres })) yield { ...note, subject: SUBJECT };
}

async function* checkMigrating(database: SqlDatabase): Findings {
  const foreign = await tablesOfOthers(database);
  const mayCreate = await mayCreateTables(database);
  for (const table of foreign)
    yield problem(`the role of DATABASE_URL does not own the table ${table}, so it cannot alter it`);
  if (!mayCreate) yield problem("the role of DATABASE_URL may not create tables: grant it create on the schema");
  if (mayCreate && foreign.length === 0) yield ok("the role has all privileges that migrating needs");
}
