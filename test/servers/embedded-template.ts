import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openEmbedded } from "../../src/store/sql/driver/embedded.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { dataFolder } from "./data-folder.ts";

export interface EmbeddedTemplate {
  /** A DATA_DIR whose embedded database has the current schema and no row. No process has it open. */
  readonly dataDir: string;
  remove(): Promise<void>;
}

/** Makes the template once for a run: initdb and the migrations cost seconds of CPU time, a copy does not. */
export async function makeEmbeddedTemplate(): Promise<EmbeddedTemplate> {
  const dataDir = await mkdtemp(join(dataFolder(), "latchkey-template-"));
  // If a run is cut short, nothing else would free the memory.
  process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
  const database = await openEmbedded(dataDir);
  await migrateToLatest(database);
  await database.close();
  return { dataDir, remove: () => rm(dataDir, { recursive: true, force: true }) };
}

/** A folder for a copy, which goes with the template at the latest. */
export function copyFolder(template: string): Promise<string> {
  return mkdtemp(join(template, "copy-"));
}

/** Makes a DATA_DIR with the database of the template, or gives it to an empty one. */
export async function copyTemplate(template: string, dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await promisify(execFile)("cp", ["-R", join(template, "database"), join(dataDir, "database")]);
}

/** Opens a copy of the template, which is deleted when it is closed. */
export async function openCopy(template: string): Promise<SqlDatabase> {
  const dataDir = await copyFolder(template);
  await copyTemplate(template, dataDir);
  const database = await openEmbedded(dataDir);
  const close = async () => {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...database, close };
}
