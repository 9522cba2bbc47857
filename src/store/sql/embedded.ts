import { chmod, mkdir, realpath, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Kysely, PGliteDialect, sql } from "kysely";
import { codeOf } from "../../domain/error-code.ts";
import { type DataDirLock, lockDataDir } from "./data-dir-lock.ts";
import type { SqlDatabase } from "./database.ts";
import { guard } from "./errors.ts";
import { newCluster } from "./new-cluster.ts";
import type { Schema } from "./schema.ts";
import { WholeTextPGlite } from "./whole-text-pglite.ts";

const MEMORY = "memory://";
const ADVICE = "Set DATA_DIR to a directory that this process may make or write to, or set DATABASE_URL.";
/** PostgreSQL's log is written in files of this size: with less room nothing can be stored. */
const ROOM_BYTES_MIN = 16 * 1_024 * 1_024;
/** `int8`: PGlite would answer a number or a bigint, depending on the value. Our counters are exact to 2^53. */
const INT8_OID = 20;

/**
 * Opens PostgreSQL in this process (PGlite). One process for each folder, held by our own lock, because a second one
 * corrupts the data silently. It survives the death of the process, not a power failure: PGlite never calls fsync.
 */
export async function openEmbedded(dataDir: string): Promise<SqlDatabase> {
  if (dataDir === MEMORY) return embedded(await openPGlite(MEMORY), undefined);
  const dir = await trueDir(dataDir);
  const database = await closedFolder(dir);
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
  const ping = () => guard(async () => void (await sql`select 1`.execute(db)));
  const close = async () => {
    await db.destroy();
    if (!pglite.closed) await pglite.close(); // Kysely closes it only if it ever ran a query
    await lock?.release();
  };
  return {
    kind: "embedded",
    db,
    lists: db,
    prepared: async (_name, query) => (await db.executeQuery(query)).rows,
    withoutTimeLimits: (work) => work(db),
    // The folder's lock keeps other processes out.
    notify: () => {},
    listen: () => ({ close: async () => {} }),
    ping,
    // It blocks this process while it works: what it is to store says by itself that there is no room.
    proveRoom: ping,
    close: () => (closing ??= close()),
  };
}

async function openPGlite(dataDir: string): Promise<WholeTextPGlite> {
  const pglite = new WholeTextPGlite({ dataDir, parsers: { [INT8_OID]: Number } });
  await pglite.waitReady;
  return pglite;
}

/** Asked of the disk: what PGlite throws is an object without words, or those of its compiler. */
async function isFull(dir: string): Promise<boolean> {
  return statfs(dir).then(
    ({ bavail, bsize }) => bavail * bsize < ROOM_BYTES_MIN,
    () => false,
  );
}

/** The folder by its one true name: two paths to one folder must meet in one lock. */
async function trueDir(dataDir: string): Promise<string> {
  try {
    await makeDir(dataDir);
    return await realpath(dataDir);
  } catch (err) {
    throw unusable(dataDir, `${reason(err)}. ${ADVICE}`, err);
  }
}

/**
 * The folder of the database, into which only its owner may look: the one above may be older than us and open to all, and
 * PGlite makes files that all may write, whatever the umask.
 */
async function closedFolder(dir: string): Promise<string> {
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
 * Makes the folder, and those above it that are not there. `recursive` would try for ever where the kernel says of every
 * new folder that the one above it is missing, as in /proc.
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
