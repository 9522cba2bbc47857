import type { Campaign } from "./campaign.ts";

const STATUSES = ["2xx", "3xx", "4xx", "deadline", "5xx"];
const HEAD = ["credentials", "requests", "compared", ...STATUSES, "slowest"];

/** The figures of a campaign, a line for each kind of credentials and one for all. */
export function campaignTable({ rows }: Campaign): string {
  const lines = [...rows].map(([kind, { requests, compared, statuses, slowestMs }]) => [
    ...[kind, requests, compared],
    ...STATUSES.map((status) => statuses.get(status) ?? 0),
    Math.ceil(slowestMs),
  ]);
  const sums = HEAD.slice(1).map((name, at) => {
    const column = lines.map((line) => Number(line[at + 1]));
    return name === "slowest" ? Math.max(...column) : column.reduce((sum, value) => sum + value, 0);
  });
  const cells = [HEAD, ...lines.map(textOf), textOf(["all", ...sums])];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells
    .map((line) => line.map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0))))
    .map((line) => line.join("  "))
    .join("\n");
}

function textOf(line: readonly (string | number)[]): string[] {
  return line.map((cell, at) => {
    const text = typeof cell === "number" ? cell.toLocaleString("en") : cell;
    return at === HEAD.length - 1 ? `${text} ms` : text;
  });
}
