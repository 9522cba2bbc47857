import { createHash } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { codeOf } from "../../../domain/vocabulary/error-code.ts";

export interface DataDirLock {
  release(): Promise<void>;
}

/**
 * Locks a folder for this process, or throws an error that says what to do. `dir` is a real path.
 *
 * On Linux the lock is an abstract socket, which the kernel releases however the process dies. It belongs to a network
 * namespace: two containers that share a volume do not see each other's lock.
 */
export async function lockDataDir(dir: string): Promise<DataDirLock> {
  return process.platform === "linux" ? lockBySocket(dir) : lockByFile(dir);
}

async function lockBySocket(dir: string): Promise<DataDirLock> {
  const name = createHash("sha256").update(dir).digest("hex");
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", (err) => reject(codeOf(err) === "EADDRINUSE" ? inUse(dir) : err));
    // Exclusive, because a worker of node:cluster would otherwise share its parent's socket, and so the lock.
    server.listen({ path: `\0latchkey:${name}`, exclusive: true }, resolve);
  });
  server.unref();
  return { release: () => new Promise((resolve) => void server.close(() => resolve())) };
}

/** Lock files of this process. A file with this pid may also be left over from an earlier process with the same pid. */
const heldHere = new Set<string>();

/** For systems whose sockets leave files behind: a file with the holder's pid, replaced if no such process is alive. */
export async function lockByFile(dir: string): Promise<DataDirLock> {
  const file = join(dir, "lock");
  if (!(await createLockFile(file))) {
    const holder = await readFile(file, "utf8").catch(() => "");
    if (heldHere.has(file) || isAlive(Number.parseInt(holder, 10))) throw inUse(dir, file);
    await removeStale(file, holder, dir);
    if (!(await createLockFile(file))) throw inUse(dir, file);
  }
  heldHere.add(file);
  return {
    release: async () => {
      heldHere.delete(file);
      await rm(file, { force: true });
    },
  };
}

async function createLockFile(file: string): Promise<boolean> {
  try {
    await writeFile(file, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
    return true;
  } catch (err) {
    if (codeOf(err) === "EEXIST") return false;
    throw err;
  }
}

/**
 * Two processes may find the same stale file: only one of them can rename it. If the renamed file is a new one, it has
 * another pid, and goes back.
 */
async function removeStale(file: string, holder: string, dir: string): Promise<void> {
  const aside = `${file}.${process.pid}`;
  await rename(file, aside).catch(() => undefined);
  const moved = await readFile(aside, "utf8").catch(() => undefined);
  if (moved !== undefined && moved !== holder) {
    await rename(aside, file);
    throw inUse(dir, file);
  }
  await rm(aside, { force: true });
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (err) {
    return codeOf(err) === "EPERM";
  }
}

function inUse(dir: string, file?: string): Error {
  const leftover = file === undefined ? "" : ` If no such process runs, delete ${file}.`;
  return new Error(
    `The data directory ${dir} is in use. Stop the process that uses it, or set DATA_DIR to another directory, ` +
      `or DATABASE_URL to a PostgreSQL server that several processes can share.${leftover}`,
  );
}
