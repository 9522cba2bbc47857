import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { packClient } from "../client/packed.ts";

const run = promisify(execFile);

/** A project with the packed client and other packages, as `npm install` makes it. */
export interface PackedProject {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Throws one line where the packages are not to be had. Their install scripts, which may download more, do not run. */
export async function installPacked(...packages: readonly string[]): Promise<PackedProject> {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-peer-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const packed = await packClient();
  const archive = join(folder, "latchkey-client.tgz");
  await writeFile(archive, packed.tarball);
  await packed.remove();
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    await run("npm", ["install", ...options, archive, ...packages], { cwd: folder });
  } catch {
    await remove();
    throw new Error(`These tests need ${packages.join(", ")}: npm must reach a registry that has them.`);
  }
  return { folder, remove };
}
