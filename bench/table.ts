import { BURST_COLUMN } from "./burst.ts";
import type { Measurement } from "./measure.ts";

const COLUMNS = [
  "",
  "requests/s",
  "×",
  "p50 ms",
  "p99 ms",
  "CPU µs/request",
  "×",
  "of processes",
  "core",
  "RSS MB",
  "start ms",
  BURST_COLUMN,
] as const;

/** A Markdown table, which a terminal shows well, too. Ratios are to the first row. */
export function table(measurements: readonly Measurement[]): string {
  const [first] = measurements;
  const rows = measurements.map((one) => cells(one, first ?? one));
  const remarks = measurements.flatMap(({ contestant, remarks }) =>
    remarks.map((remark) => `\n${contestant.name}: ${remark}.`),
  );
  const roundTrips = measurements.flatMap(({ contestant, roundTrips }) =>
    roundTrips === undefined
      ? []
      : `\n${contestant.name}: one round trip took ${roundTrips.p50Ms.toFixed(2)} ms, p99 ${roundTrips.p99Ms.toFixed(2)} ms.`,
  );
  return [markdownTable(COLUMNS, rows), ...roundTrips, ...remarks].join("\n");
}

/** Columns as wide as what is in them; all but the first hold numbers. */
export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((column, n) => Math.max(column.length, ...rows.map((row) => row[n]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join(" | ")} |`;
  const rule = `| ${widths.map((width, n) => (n === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(columns), rule, ...rows.map(line)].join("\n");
}

/** What each row of a table does for its answer. */
export function legend(measurements: readonly Measurement[]): string {
  return measurements.map(({ contestant }) => `- ${contestant.name}: ${contestant.does}`).join("\n");
}

function cells(one: Measurement, first: Measurement): string[] {
  return [
    one.contestant.name,
    whole(one.requestsPerSecond),
    ratio(one.requestsPerSecond, first.requestsPerSecond),
    one.p50Ms.toFixed(2),
    one.p99Ms.toFixed(2),
    known(one.cpuMicrosPerRequest, (value) => value.toFixed(1)),
    known(one.cpuMicrosPerRequest, (value) => ratio(value, first.cpuMicrosPerRequest)),
    known(one.cpuMicrosPerRequest, () => range(one.cpuOfProcesses)),
    known(one.busy, (value) => `${whole(100 * value)} %`),
    known(one.residentBytes, (value) => whole(value / 1e6)),
    whole(one.startMs),
    one.admitted === undefined ? "" : whole(one.admitted),
  ];
}

function ratio(value: number, base: number): string {
  return (value / base).toFixed(2);
}

function range(values: readonly number[]): string {
  return [...new Set([Math.min(...values), Math.max(...values)])].map((value) => value.toFixed(1)).join(" to ");
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function known(value: number, format: (value: number) => string): string {
  return Number.isNaN(value) ? "-" : format(value);
}
