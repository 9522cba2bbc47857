import { fileURLToPath } from "node:url";
import { readLedger, TEST_UNITS, writeLedger } from "../weight/ledger.ts";
import { measure } from "./units.ts";

/**
 * `npm run test:cpu`: runs `npm test` once, and fails if it took 5 % more CPU than the ledger allows. With `--write` the count becomes
 * the ledger's. Arguments after `--` go to vitest; then the ledger says nothing of the run.
 */
const TOLERANCE = 1.05;

const [isWritten, separator] = [process.argv.includes("--write"), process.argv.indexOf("--")];
const only = separator === -1 ? [] : process.argv.slice(separator + 1);
const cwd = fileURLToPath(new URL("../../", import.meta.url));
const run = await measure(["npm", "test", "--", ...only], { cwd, stdio: "inherit" });
const spread = Math.round(run.spread * 100);
print(`${run.units} units: ${run.cpuSeconds.toFixed(1)} CPU seconds in ${run.seconds.toFixed(0)} s (${run.source})`);
print(`Calibrations are ${spread} % apart${run.isSteady ? "" : ": the machine was busy; repeat the run"}.`);
if (run.code !== 0) process.exitCode = 1;
else if (only.length === 0) compare(run.units);

function compare(units: number): void {
  const ledger = readLedger();
  const allowed = ledger[TEST_UNITS];
  if (isWritten) writeLedger({ ...ledger, [TEST_UNITS]: units });
  else if (allowed !== undefined && units > allowed * TOLERANCE) {
    print(`The ledger has ${allowed}: at most ${Math.floor(allowed * TOLERANCE)} are allowed.`);
    process.exitCode = 1;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
