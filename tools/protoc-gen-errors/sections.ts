import type { Row } from "./rows.ts";

/** Reasons in Markdown: a table to find one in, then a section of each, whose heading is its reason. */
export function markdownSections(member: string, rows: readonly Row[]): string {
  return [markdownTable(member, rows), ...rows.map(section)].join("\n\n");
}

/** The columns are padded as the formatter wants them. */
function markdownTable(member: string, rows: readonly Row[]): string {
  const head = [`\`${member}\``, "HTTP", "`code`"];
  const lines = [head, ...rows.map(cells)];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const print = (line: readonly string[]): string =>
    `| ${line.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = widths.map((width) => "-".repeat(width));
  return [head, rule, ...lines.slice(1)].map(print).join("\n");
}

function cells({ reason, status, code }: Row): string[] {
  return [`[\`${reason}\`](#${reason})`, String(status), `\`${code}\``];
}

function section({ reason, status, code, cause, remedy }: Row): string {
  return [`### \`${reason}\``, `${status} \`${code}\`. ${sentence(cause)}`, `**Remedy:** ${sentence(remedy)}`].join(
    "\n\n",
  );
}

/** On one line, and with a capital letter. */
function sentence(text: string): string {
  return (text.slice(0, 1).toUpperCase() + text.slice(1)).replace(/\s+/g, " ");
}
