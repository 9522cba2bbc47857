import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { needs, output } from "./callers.ts";

/** What the suites build and generate. Kept between runs. */
export const PEERS_DIR = resolve(".latchkey/peers");
const BIN = join(PEERS_DIR, "bin");

/** Builds a Go program of a pinned version, once; returns its path. */
export async function goTool(name: string, module: string): Promise<string> {
  const program = join(BIN, name);
  if (await exists(program)) return program;
  await needs(
    `The tests with ${name} need Go 1.25 or later, which downloads and builds it: install Go.`,
    "go",
    "version",
  );
  await output("go", ["install", module], { env: { GOBIN: BIN } });
  return program;
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
