import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { canRun, ensureInstalled, type Program } from "../servers/debian.ts";
import type { Variant } from "./variant.ts";
import { VARIANTS } from "./variants.ts";

/** `npm run test:model`: Spin checks every variant of the model (README.md). */

const run = promisify(execFile);

const SPIN: Program = {
  package: "spin",
  isInstalled: () => canRun("spin", "-V"),
  advice: "The model needs Spin: install spin 6.5+.",
};

/** What Spin writes is a program in C. */
const COMPILER: Program = {
  package: "build-essential",
  isInstalled: () => canRun("gcc", "--version"),
  advice: "The model needs a C compiler: install gcc.",
};

const FILES = ["leases.pml", "rules.pml", "tree.pml", "tree-rules.pml", "history.pml", "history-rules.pml"];
const AT_ONCE = 2;
const MEMORY_MB_MAX = 2_000;
const DEPTH_MAX = 1_000_000;
/** The bits of a bitstate search, as a power of two: 128 MB. */
const BITS = 30;
const BITSTATE_MS = 60_000;
const TIMEOUT_MS = 10 * 60_000;

interface Result {
  readonly found: string;
  readonly states: string;
  readonly seconds: number;
}

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    for (const program of [SPIN, COMPILER]) await ensureInstalled(program);
  } catch (err) {
    console.error(err instanceof Error ? err.message : err);
    return 1;
  }
  const folder = await mkdtemp(join(tmpdir(), "latchkey-model-"));
  try {
    return await checkAll(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkAll(folder: string): Promise<number> {
  const waiting = [...VARIANTS.entries()];
  const results = VARIANTS.map(() => Promise.withResolvers<Result>());
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, variant] = next;
      results[index]?.resolve(await check(variant, join(folder, `${index}`)));
    }
  };
  const workers = Array.from({ length: AT_ONCE }, work);

  print("P", "variant", "expected", "found", "states", "s", "");
  let failed = 0;
  for (const [index, { name, property, expected, about }] of VARIANTS.entries()) {
    const result = await results[index]?.promise;
    if (result === undefined) throw new Error(`${name} has no result.`);
    if (!result.found.startsWith(expected)) failed++;
    print(property, name, expected, result.found, result.states, result.seconds.toFixed(1), about);
  }
  await Promise.all(workers);
  console.log(`${VARIANTS.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

async function check(
  { flags, isBitstate = false, model: source = "leases.pml" }: Variant,
  folder: string,
): Promise<Result> {
  const startedMs = performance.now();
  const result = (found: string, states = "") => ({ found, states, seconds: (performance.now() - startedMs) / 1_000 });
  const options = { cwd: folder, timeout: TIMEOUT_MS, maxBuffer: 16_000_000 };
  const memory = isBitstate ? "-DBITSTATE" : "-DCOLLAPSE";
  try {
    await mkdir(folder);
    let model = "";
    for (const file of FILES) {
      const text = await readFile(new URL(file, import.meta.url), "utf8");
      await writeFile(join(folder, file), text);
      if (file === source || file.endsWith("rules.pml")) model += text;
    }
    for (const name of flags.flatMap((flag) => /^-D(\w+)/.exec(flag)?.[1] ?? [])) {
      if (!new RegExp(`\\b${name}\\b`).test(model)) return result(`error: no ${name} in the model`);
    }
    await run("spin", ["-a", ...flags, source], options);
    await run("gcc", ["-O1", "-DSAFETY", memory, `-DMEMLIM=${MEMORY_MB_MAX}`, "-o", "pan", "pan.c"], options);
    const stdout = await search(folder, isBitstate);
    return result(verdict(stdout, isBitstate), /([\d.e+]+) states, stored/.exec(stdout)?.[1]);
  } catch (err) {
    return result(`error: ${err instanceof Error ? err.message.split("\n", 2).join(" ") : err}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns what the search prints, also if it was interrupted. */
async function search(folder: string, isBitstate: boolean): Promise<string> {
  const limits = isBitstate ? [`-w${BITS}`] : [];
  const searching = run(join(folder, "pan"), ["-E", `-m${DEPTH_MAX}`, ...limits], { cwd: folder });
  // Its own limit of time is compared after each million states only. At SIGINT it prints what it has.
  const timer = setTimeout(() => searching.child.kill("SIGINT"), isBitstate ? BITSTATE_MS : TIMEOUT_MS);
  const { stdout } = await searching
    .finally(() => clearTimeout(timer))
    .catch((err) => {
      if (err instanceof Error && "stdout" in err && err.stdout !== "") return { stdout: `${err.stdout}` };
      throw err;
    });
  return stdout;
}

/** Anything but "holds" or "fails" at its beginning is expected nowhere. */
function verdict(output: string, isBitstate: boolean): string {
  if (/assertion violated/.test(output)) return "fails";
  if (!/errors: 0\b/.test(output)) return "error: no verdict";
  if (isBitstate) return "holds (in part)";
  return /too small|out of memory|reached -DMEMLIM|interrupted|not completed/i.test(output) ? "incomplete" : "holds";
}

function print(...[property, name, expected, found, states, seconds, about]: readonly string[]): void {
  const columns = [
    property,
    name?.padEnd(30),
    expected?.padEnd(8),
    found?.padEnd(15),
    states?.padStart(9),
    seconds?.padStart(5),
  ];
  console.log([...columns, about].join("  ").trimEnd());
}
