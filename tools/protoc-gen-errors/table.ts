import type { DescEnum, DescEnumValue } from "@bufbuild/protobuf";
import { DENIALS, type DenialReason } from "../../src/domain/denial.ts";
import { paragraphsOf } from "../protoc-gen-openapi/comments.ts";

/** What the proto's comment says of one reason: `401. Cause.`, an empty line, `Remedy: remedy.` */
const COMMENT = /^(\d{3})\. (.+)\n\nRemedy: (.+)$/s;

/** One line of the table of denials. */
export interface Row {
  readonly reason: DenialReason;
  readonly status: number;
  readonly cause: string;
  readonly remedy: string;
}

/**
 * The denials of the enum, in its order. Throws where the proto and the service's own table
 * differ, so that `npm run generate` cannot write a page that is wrong.
 */
export function rowsOf(reasons: DescEnum): Row[] {
  const rows = reasons.values.filter(({ number }) => number !== 0).map(row);
  for (const reason of Object.keys(DENIALS)) {
    if (!rows.some((known) => known.reason === reason)) throw new Error(`${reasons.name} lacks ${reason}`);
  }
  return rows;
}

/** The table in Markdown, its columns padded as the formatter wants them. */
export function markdownTable(rows: readonly Row[]): string {
  const head = ["`denial_reason`", "HTTP", "`code`", "Cause", "Remedy"];
  const lines = [head, ...rows.map(cells)];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const print = (line: readonly string[]): string =>
    `| ${line.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = widths.map((width) => "-".repeat(width));
  return [head, rule, ...lines.slice(1)].map(print).join("\n");
}

function cells({ reason, status, cause, remedy }: Row): string[] {
  return [`\`${reason}\``, String(status), `\`${DENIALS[reason].code}\``, cell(cause), cell(remedy)];
}

function row(value: DescEnumValue): Row {
  const name = value.localName.toLowerCase();
  if (!isReason(name)) throw new Error(`src/domain/denial.ts lacks ${name}`);
  const [, status, cause, remedy] = COMMENT.exec(paragraphsOf(value).join("\n\n")) ?? [];
  if (status === undefined || cause === undefined || remedy === undefined) {
    throw new Error(`the comment of ${value.name} is not "<status>. <cause>", an empty line, "Remedy: <remedy>"`);
  }
  if (Number(status) !== DENIALS[name].status) {
    throw new Error(`${value.name} is ${status} in the proto, but ${DENIALS[name].status} in src/domain/denial.ts`);
  }
  if (verb(remedy) !== verb(DENIALS[name].remedy)) {
    throw new Error(`the remedy of ${value.name} begins with another verb in the proto than in src/domain/denial.ts`);
  }
  return { reason: name, status: Number(status), cause, remedy };
}

function isReason(name: string): name is DenialReason {
  return Object.hasOwn(DENIALS, name);
}

function verb(remedy: string): string | undefined {
  return /^[a-z]+/.exec(remedy)?.[0];
}

/** A text as a table's cell: on one line, as a sentence. */
function cell(text: string): string {
  return (text.slice(0, 1).toUpperCase() + text.slice(1)).replaceAll("|", "\\|").replace(/\s+/g, " ");
}
