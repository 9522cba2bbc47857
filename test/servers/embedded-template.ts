import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openEmbedded } from "../../src/store/sql/driver/embedded.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";

export interface EmbeddedTemplate {
  /** A DATA_DIR whose embedded database has the current schema and no row. No process has it open. */
  readonly dataDir: string;
  remove(): Promise<void>;
}

/** Makes the template once for a run: initdb and the migrations cost seconds of CPU time, a copy does not. */
export async function makeEmbeddedTemplate(): Promise<EmbeddedTemplate> {
  const dataDir = await mkdtemp(join(tmpdir(), "latchkey-template-"));
  const database = await openEmbedded(dataDir);
  await migrateToLatest(database);
  await database.close();
  return { dataDir, remove: () => rm(dataDir, { recursive: true, force: true }) };
}

/** Makes a DATA_DIR with the database of the template, or gives it to an empty one. */
export async function copyTemplate(template: string, dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await promisify(execFile)("cp", ["-R", join(template, "database"), join(dataDir, "database")]);
}

/** Opens a copy of the template, which is deleted when it is closed. */
export async function openCopy(template: string): Promise<SqlDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), "latchkey-copy-"));
  await copyTemplate(template, dataDir);
  const database = await openEmbedded(dataDir);
  const close = async () => {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...database, close };
}
