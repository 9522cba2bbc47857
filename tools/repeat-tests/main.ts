import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { canRun, ensureInstalled } from "../../test/servers/debian.ts";
import { measure } from "../test-cpu/units.ts";
import { makeClone } from "./clone.ts";
import { failuresOf, type Row, tableOf } from "./report.ts";

/**
 * `npm run test:repeat`: runs `npm test` 20 times (`-- --runs 2` for fewer) in a fresh clone of the last commit with an empty HOME,
 * every second run beside `stress-ng --cpu 4`, and prints a table. Ends with 1 if a run failed, and then keeps what the runs printed.
 * Arguments after another `--` go to vitest.
 */
const { values, positionals } = parseArgs({
  options: { runs: { type: "string", default: "20" } },
  allowPositionals: true,
});
const runs = Number(values.runs);
if (!Number.isSafeInteger(runs) || runs < 1) throw new Error("--runs must be an integer of at least 1");
if (runs > 1) {
  await ensureInstalled({
    package: "stress-ng",
    isInstalled: () => canRun("stress-ng", "--version"),
    advice: "Every second run is beside stress-ng: install it.",
  });
}

const clone = makeClone();
const rows: Row[] = [];
print(`installing in ${clone.checkout}`);
execFileSync("npm", ["ci", "--no-update-notifier"], {
  cwd: clone.checkout,
  env: clone.env,
  stdio: ["ignore", "ignore", "inherit"],
});
for (let at = 1; at <= runs; at++) {
  const row = await run(at);
  rows.push(row);
  print(`run ${at}: ${row.seconds.toFixed(0)} s, ${row.units} units, ${row.failures.length} failed`);
}
print(`\n${tableOf(rows)}`);
if (rows.every(({ failures }) => failures.length === 0)) clone.remove();
else {
  print(`The runs' output is in ${clone.folder}.`);
  process.exitCode = 1;
}

async function run(at: number): Promise<Row> {
  const stress = at % 2 === 0 ? await startStress() : undefined;
  try {
    const report = join(clone.folder, `run-${at}.json`);
    const log = openSync(join(clone.folder, `run-${at}.log`), "w");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const { code, seconds, units } = await measure(["npm", "test", "--", ...reporters, ...positionals], {
      cwd: clone.checkout,
      env: clone.env,
      stdio: ["ignore", log, log],
    });
    const failures = code === 0 ? [] : failed(report);
    return { beside: stress === undefined ? "" : "stress-ng", seconds, units, failures };
  } finally {
    stress?.kill();
  }
}

/** A run may fail without a failed test: by an error that no test catches, or before it starts. */
function failed(report: string): readonly string[] {
  try {
    const failures = failuresOf(JSON.parse(readFileSync(report, "utf8")));
    return failures.length > 0 ? failures : ["no test, but the run: see its log"];
  } catch {
    return ["no report: see the log"];
  }
}

async function startStress(): Promise<ChildProcess> {
  const stress = spawn("stress-ng", ["--cpu", "4"], { stdio: "ignore" });
  await new Promise((resolve, reject) => stress.on("spawn", resolve).on("error", reject));
  return stress;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
