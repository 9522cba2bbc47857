import { chmod, mkdir, realpath, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Kysely, PGliteDialect, sql } from "kysely";
import { codeOf } from "../../../domain/vocabulary/error-code.ts";
import { KnownHistory } from "../../replicas/known-history.ts";
import type { Schema } from "../schema.ts";
import { type DataDirLock, lockDataDir } from "./data-dir-lock.ts";
import type { SqlDatabase } from "./database.ts";
import { createListTurns } from "./list-turns.ts";
import { newCluster } from "./new-cluster.ts";
import { translateOutage } from "./sql-errors.ts";
import { WholeTextPGlite } from "./whole-text-pglite.ts";

const MEMORY = "memory://";
const ADVICE = "Set DATA_DIR to a directory that this process may make or write to, or set DATABASE_URL.";
/** PostgreSQL writes its log in files of this size: with less free space it can store nothing. */
const FREE_BYTES_MIN = 16 * 1_024 * 1_024;
/** `int8`, which PGlite returns as a number or a bigint, depending on the value. Our counters are exact to 2^53. */
const INT8_OID = 20;

/**
 * Opens PostgreSQL in this process (PGlite). Our own lock allows one process per folder, because a second one corrupts
 * the data without an error. The data survives the death of the process, but not a power failure: PGlite never calls
 * fsync.
 */
export async function openEmbedded(dataDir: string): Promise<SqlDatabase> {
  if (dataDir === MEMORY) return embedded(await openPGlite(MEMORY), undefined);
  const dir = await realDir(dataDir);
  const database = await privateFolder(dir);
  const lock = await lockDataDir(dir);
  try {
    await newCluster(database);
    return embedded(await openPGlite(database), lock);
  } catch (err) {
    await lock.release();
    const problem = (await isFull(dir)) ? "its disk is full" : "its files are damaged, or of another version";
    throw new Error(`DATA_DIR ${dir} has no database that can be opened: ${problem}. ${ADVICE}`, { cause: err });
  }
}

function embedded(pglite: WholeTextPGlite, lock: DataDirLock | undefined): SqlDatabase {
  const db = new Kysely<Schema>({ dialect: new PGliteDialect({ pglite }) });
  let closing: Promise<void> | undefined;
  // One at a time, because a request waits for all that asked for the one connection before it.
  const turns = createListTurns({ atOnce: 1 });
  const ping = () => translateOutage(async () => void (await sql`select 1`.execute(db)));
  const close = async () => {
    await db.destroy();
    if (!pglite.closed) await pglite.close(); // Kysely closes it only if it ever ran a query
    await lock?.release();
  };
  return {
    kind: "embedded",
    db,
    internal: db,
    history: new KnownHistory(),
    lists: (owner, work) => turns.take(owner, () => work(db)),
    control: db,
    prepared: async (_name, query) => (await db.executeQuery(query)).rows,
    withoutTimeLimits: (work) => work(db),
    // The folder's lock keeps other processes out.
    notify: () => {},
    listen: () => ({ close: async () => {} }),
    poolUsage: () => [],
    reportStatements: () => {},
    reportAbandoned: () => {},
    signInWith: () => {},
    poolerProblem: async () => undefined,
    readSetup: async () => undefined,
    ping,
    // It blocks this process while it works: a failed write reports a full disk.
    checkDiskSpace: ping,
    close: () => (closing ??= close()),
  };
}

async function openPGlite(dataDir: string): Promise<WholeTextPGlite> {
  const pglite = new WholeTextPGlite({ dataDir, parsers: { [INT8_OID]: Number } });
  await pglite.waitReady;
  return pglite;
}

/** Checks the disk, because PGlite throws an object without a message, or with one of its compiler. */
async function isFull(dir: string): Promise<boolean> {
  return statfs(dir).then(
    ({ bavail, bsize }) => bavail * bsize < FREE_BYTES_MIN,
    () => false,
  );
}

/** The real path of the folder: two paths to one folder must lead to one lock. */
async function realDir(dataDir: string): Promise<string> {
  try {
    await makeDir(dataDir);
    return await realpath(dataDir);
  } catch (err) {
    throw unusable(dataDir, `${reason(err)}. ${ADVICE}`, err);
  }
}

/**
 * Creates the folder of the database, which only its owner may read. The folder above may be older and open to all
 * users, and PGlite creates files that all users may write, whatever the umask is.
 */
async function privateFolder(dir: string): Promise<string> {
  const folder = join(dir, "database");
  try {
    await mkdir(folder, { mode: 0o700 }).catch(async (err) => {
      if (codeOf(err) !== "EEXIST") throw err;
      const found = await stat(folder);
      if (found.isDirectory() && (found.mode & 0o077) !== 0) await chmod(folder, 0o700);
    });
    return folder;
  } catch (err) {
    if (codeOf(err) !== "EPERM") throw unusable(dir, `${reason(err)}. ${ADVICE}`, err);
    const closing = `make the user of this process its owner (chown -R), or set DATA_DIR to another directory`;
    throw unusable(dir, `other users can look into ${folder}, which this process may not forbid; ${closing}.`, err);
  }
}

function unusable(dir: string, why: string, cause: unknown): Error {
  return new Error(`DATA_DIR ${dir} cannot be used: ${why}`, { cause });
}

/**
 * Creates the folder and its missing parents. `recursive` would retry for ever where the kernel reports for every new
 * folder that its parent is missing, as in /proc.
 */
async function makeDir(dir: string, isParentMade = false): Promise<void> {
  try {
    await mkdir(dir, { mode: 0o700 });
  } catch (err) {
    const parent = dirname(dir);
    if (codeOf(err) === "ENOENT" && !isParentMade && parent !== dir) {
      await makeDir(parent);
      return makeDir(dir, true);
    }
    if (!(await isDirectory(dir))) throw err;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function reason(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
