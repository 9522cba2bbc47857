import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ARTIFACTS } from "./artifacts.ts";
import { faultsOf, PLACEHOLDER } from "./packages.ts";
import { type Release, run } from "./release.ts";
import { seal } from "./seal.ts";

/**
 * `node tools/release/main.ts v0.1.0`: fails if this checkout must not be published under the tag, and says why.
 *
 * `npm run release -- --dry-run 0.1.0 [artifact...]`: makes everything that the tag would publish, in artifacts/release, and
 * publishes nothing.
 */
const { values, positionals } = parseArgs({ options: { "dry-run": { type: "string" } }, allowPositionals: true });
const root = process.cwd();
const version = values["dry-run"];
if (version === undefined) report(faultsOf(root, positionals[0] ?? ""));
else rehearse(version, positionals.length === 0 ? Object.keys(ARTIFACTS) : positionals);

function report(faults: readonly string[]): void {
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

function rehearse(version: string, names: readonly string[]): void {
  const known = Object.keys(ARTIFACTS);
  const faults = [
    ...names.filter((name) => !known.includes(name)).map((name) => `${name} is not one of ${known.join(", ")}`),
    // Only what is published needs the project's address.
    ...faultsOf(root, `v${version}`).filter((fault) => !fault.startsWith(PLACEHOLDER)),
  ];
  report(faults);
  if (faults.length > 0) return;
  try {
    make(version, names);
  } catch (err) {
    report([err instanceof Error ? err.message : String(err)]);
  }
}

function make(version: string, names: readonly string[]): void {
  const out = join(root, "artifacts/release");
  const seconds = Number(run("git", ["log", "-1", "--format=%ct"], root));
  const release: Release = { root, version, out, seconds };
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const name of names) {
    const startMs = performance.now();
    ARTIFACTS[name]?.(release);
    process.stdout.write(`${name}: ${((performance.now() - startMs) / 1_000).toFixed(1)} s\n`);
  }
  seal(release);
  process.stdout.write(`${out}\n`);
}
