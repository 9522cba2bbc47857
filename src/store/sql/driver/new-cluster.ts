import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const INITDB = fileURLToPath(new URL(`./initdb${extname(import.meta.url)}`, import.meta.url));

/**
 * Makes a PostgreSQL cluster in a folder that is empty, and changes nothing in any other. The folder holds all of it or
 * none, whenever the process dies. The caller holds the lock of the folder above. Rejects if the cluster cannot be made.
 *
 * A process of its own makes it, because initdb takes 450 MB that V8 would not give back before the database is opened. It
 * runs without V8's optimizing compiler, which takes 600 MB for PostgreSQL's parser and more time than it saves (ADR 20).
 */
export async function newCluster(folder: string): Promise<void> {
  if (!(await removeEmpty(folder))) return;
  const unfinished = `${basename(folder)}.new-`;
  const above = dirname(folder);
  for (const name of await readdir(above)) {
    // Of a process that was killed meanwhile. Its initdb may still write for a second, until it misses the folder.
    if (name.startsWith(unfinished)) await rm(join(above, name), { recursive: true, force: true, maxRetries: 5 });
  }
  const closed = await mkdtemp(join(above, unfinished));
  const cluster = join(closed, "cluster");
  await mkdir(cluster);
  await runInitdb(cluster);
  // PGlite has initdb let the group in.
  await chmod(cluster, 0o700);
  await rename(cluster, folder);
  await rmdir(closed);
}

/** Answers whether it removed the folder: one that is not empty, or is a file, stays. */
async function removeEmpty(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}

async function runInitdb(folder: string): Promise<void> {
  // No environment: ours has secrets, and initdb needs none of it.
  const running = promisify(execFile)(process.execPath, ["--liftoff-only", INITDB, folder], { env: {} });
  const kill = (): void => void running.child.kill("SIGKILL");
  process.once("exit", kill);
  try {
    await running;
  } finally {
    process.off("exit", kill);
  }
}
