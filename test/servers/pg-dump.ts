import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { binaries } from "./postgres.ts";

const run = promisify(execFile);

/** Writes a backup, as docs/storage.md has it. Connections stay open. */
export async function dumpDatabase(url: string, file: string): Promise<void> {
  await run(join(await binaries(), "pg_dump"), ["--format=custom", `--file=${file}`, url]);
}

/** Brings a database back to a backup, with the privileges of its roles. */
export async function restoreDatabase(url: string, file: string): Promise<void> {
  const args = ["--clean", "--if-exists", "--exit-on-error", `--dbname=${url}`, file];
  await run(join(await binaries(), "pg_restore"), args);
}
