import { DENIALS } from "../../src/domain/denial.ts";
import type { Row } from "./rows.ts";

/** The denials in Markdown: a table to find one in, then a section of each, whose heading is its reason. */
export function markdownSections(rows: readonly Row[]): string {
  return [markdownTable(rows), ...rows.map(section)].join("\n\n");
}

/** The columns are padded as the formatter wants them. */
function markdownTable(rows: readonly Row[]): string {
  const head = ["`denial_reason`", "HTTP", "`code`"];
  const lines = [head, ...rows.map(cells)];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const print = (line: readonly string[]): string =>
    `| ${line.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = widths.map((width) => "-".repeat(width));
  return [head, rule, ...lines.slice(1)].map(print).join("\n");
}

function cells({ reason, status }: Row): string[] {
  return [`[\`${reason}\`](#${reason})`, String(status), `\`${DENIALS[reason].code}\``];
}

function section({ reason, status, cause, remedy }: Row): string {
  return [
    `### \`${reason}\``,
    `${status} \`${DENIALS[reason].code}\`. ${sentence(cause)}`,
    `**Remedy:** ${sentence(remedy)}`,
  ].join("\n\n");
}

/** On one line, and with a capital letter. */
function sentence(text: string): string {
  return (text.slice(0, 1).toUpperCase() + text.slice(1)).replace(/\s+/g, " ");
}
