import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Measurement } from "./measure.ts";
import { markdownTable } from "./table.ts";

/** The last committed run, `bench/results.json`: what a new one is compared with. */

const FILE = fileURLToPath(new URL("results.json", import.meta.url));
const MEMBERS = ["requestsPerSecond", "p99Ms", "cpuMicrosPerRequest", "residentBytes", "startMs"] as const;
const TITLES = ["now / then", "requests/s", "p99", "CPU/request", "RSS", "start"];

type Row = Readonly<Partial<Record<(typeof MEMBERS)[number], number | null>>>;

interface Results {
  readonly commit: string;
  readonly date: string;
  /** By table, then by the contestant's name. */
  readonly tables: Readonly<Record<string, Readonly<Record<string, Row>>>>;
}

/** Ratios to the last committed run; compare those of a contestant with those of node:http, which is the machine's part. */
export function againstLast(name: string, measurements: readonly Measurement[]): string {
  const last = read();
  const then = last?.tables[name];
  if (last === undefined || then === undefined) return "The last committed run does not have this table.";
  const rows = measurements.flatMap((one) => {
    const before = then[one.contestant.name];
    if (before === undefined) return [];
    return [[one.contestant.name, ...MEMBERS.map((member) => ratio(one[member], before[member]))]];
  });
  return `Against ${last.commit} of ${last.date}:\n\n${markdownTable(TITLES, rows)}`;
}

/** Keeps these tables, to be committed; others stay as they were only if they are of the same commit. */
export function keep(tables: ReadonlyMap<string, readonly Measurement[]>): void {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const last = read();
  const added = Object.fromEntries(
    [...tables].map(([name, measurements]) => [
      name,
      Object.fromEntries(measurements.map((one) => [one.contestant.name, rowOf(one)])),
    ]),
  );
  const results: Results = {
    commit,
    date: new Date().toISOString().slice(0, 10),
    tables: { ...(last?.commit === commit && last.tables), ...added },
  };
  writeFileSync(FILE, `${JSON.stringify(results, undefined, 2)}\n`);
}

function read(): Results | undefined {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : undefined;
}

function rowOf(one: Measurement): Row {
  return Object.fromEntries(MEMBERS.map((member) => [member, Number(one[member].toPrecision(4))]));
}

/** JSON has null for what could not be measured. */
function ratio(now: number, then: number | null | undefined): string {
  return typeof then === "number" && !Number.isNaN(now) ? (now / then).toFixed(2) : "-";
}
