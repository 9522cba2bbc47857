import { BURST_COLUMN } from "./burst.ts";
import type { Contestant } from "./contestants.ts";
import type { Measurement } from "./measure.ts";

interface Column {
  readonly title: string;
  cell(one: Measurement): string;
}

/** A Markdown table, which a terminal shows well, too. Ratios are to each of the references; default: the first row. */
export function table(measurements: readonly Measurement[], references: readonly Contestant[] = []): string {
  const listed = measurements.filter(({ contestant }) => references.includes(contestant));
  const columns = columnsOf(listed.length === 0 ? measurements.slice(0, 1) : listed);
  const rows = measurements.map((one) => columns.map(({ cell }) => cell(one)));
  const remarks = measurements.flatMap(({ contestant, remarks }) =>
    remarks.map((remark) => `\n${contestant.name}: ${remark}.`),
  );
  const roundTrips = measurements.flatMap(({ contestant, roundTrips }) =>
    roundTrips === undefined
      ? []
      : `\n${contestant.name}: one round trip took ${roundTrips.p50Ms.toFixed(2)} ms, p99 ${roundTrips.p99Ms.toFixed(2)} ms.`,
  );
  const titles = columns.map(({ title }) => title);
  return [markdownTable(titles, rows), ...roundTrips, ...remarks].join("\n");
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

function columnsOf(references: readonly Measurement[]): Column[] {
  const column = (title: string, cell: Column["cell"]): Column => ({ title, cell });
  const ratios = (value: (one: Measurement) => number) =>
    references.map((reference) =>
      column(references.length === 1 ? "×" : `× ${reference.contestant.name}`, (one) =>
        known(value(one), () => ratio(value(one), value(reference))),
      ),
    );
  return [
    column("", ({ contestant }) => contestant.name),
    column("requests/s", ({ requestsPerSecond }) => whole(requestsPerSecond)),
    ...ratios(({ requestsPerSecond }) => requestsPerSecond),
    column("p50 ms", ({ p50Ms }) => p50Ms.toFixed(2)),
    column("p99 ms", ({ p99Ms }) => p99Ms.toFixed(2)),
    column("CPU µs/request", ({ cpuMicrosPerRequest }) => known(cpuMicrosPerRequest, tenths)),
    ...ratios(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest),
    column("of processes", ({ cpuMicrosPerRequest, cpuOfProcesses }) =>
      known(cpuMicrosPerRequest, () => range(cpuOfProcesses)),
    ),
    column("core", ({ busy }) => known(busy, (value) => `${whole(100 * value)} %`)),
    column("Redis µs/request", ({ redisMicrosPerRequest }) => known(redisMicrosPerRequest, tenths)),
    column("RSS MB", ({ residentBytes }) => known(residentBytes, (value) => whole(value / 1e6))),
    column("start ms", ({ startMs }) => whole(startMs)),
    column(BURST_COLUMN, ({ admitted }) => (admitted === undefined ? "" : whole(admitted))),
  ];
}

function ratio(value: number, base: number): string {
  return (value / base).toFixed(2);
}

function range(values: readonly number[]): string {
  return [...new Set([Math.min(...values), Math.max(...values)])].map(tenths).join(" to ");
}

function tenths(value: number): string {
  return value.toFixed(1);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function known(value: number, format: (value: number) => string): string {
  return Number.isNaN(value) ? "-" : format(value);
}
