import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Measurement } from "./measure.ts";
import { markdownTable } from "./table.ts";

/** The last committed run, `bench/results.json`: what a new one is compared with. */

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const FILE = file("results.json");
const PAGE = file("../docs/benchmarks.md");
const MEMBERS = [
  "requestsPerSecond",
  "p99Ms",
  "cpuMicrosPerRequest",
  "redisMicrosPerRequest",
  "residentBytes",
  "startMs",
] as const;
const TITLES = ["now / then", "requests/s", "p99", "CPU/request", "Redis/request", "RSS", "start"];
const PAGE_TITLES = ["", "requests/s", "× node:http", "p99 ms", "CPU µs/request", "Redis µs/request"];

type Row = Readonly<Partial<Record<(typeof MEMBERS)[number], number | null>>>;

export interface Results {
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

/** Keeps these tables, here and on the page, to be committed; others stay only if they are of the same commit. */
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
  writeFileSync(PAGE, pageWith(results));
}

/** docs/benchmarks.md with the table of each of its scenarios: `### leases-limited, 16 connections`. */
export function pageWith(results: Results | undefined = read()): string {
  return readFileSync(PAGE, "utf8").replace(
    /^### (\S+, \d+ connections)\n\n(.*\n\n)(?:\|.*\n)+/gm,
    (section, name, title) => {
      const rows = results?.tables[`${name}, 1000 keys`];
      return rows === undefined ? section : `### ${name}\n\n${title}${pageTable(rows)}\n`;
    },
  );
}

/** Without the rows that compare with an earlier Latchkey. */
function pageTable(rows: Results["tables"][string]): string {
  const listed = Object.entries(rows).filter(([name]) => !name.startsWith("Latchkey before"));
  return markdownTable(
    PAGE_TITLES,
    listed.map(([name, row]) => [
      name,
      (row.requestsPerSecond ?? 0).toLocaleString("en"),
      ratio(row.requestsPerSecond ?? 0, rows["node:http"]?.requestsPerSecond),
      shown(row.p99Ms, 2),
      shown(row.cpuMicrosPerRequest, 1),
      shown(row.redisMicrosPerRequest, 1),
    ]),
  );
}

function shown(value: number | null | undefined, digits: number): string {
  return typeof value === "number" ? value.toFixed(digits) : "-";
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
