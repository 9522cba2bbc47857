import { CHECKS, type Concerned } from "../../src/domain/access/checks.ts";
import { table } from "../authorization-tables/markdown-table.ts";

const GUIDE = new URL("../../docs/guides/denied-requests.md", import.meta.url);
const GLOSSARY = new URL("../../docs/glossary.md", import.meta.url);

/** A page with what `CHECKS` says now. */
export interface Generated {
  readonly page: URL;
  readonly write: (text: string) => string;
}

export const GENERATED: readonly Generated[] = [
  { page: GUIDE, write: (text) => between(between(text, "checks", checkTable()), "order", orderTable()) },
  { page: GLOSSARY, write: (text) => text.replace(/^\| order of checks [^\n]*$/m, glossaryRow) },
];

const CALLERS: Readonly<Record<string, Pick<Concerned, "caller" | "isToken">>> = {
  "a secret key": { caller: "secret_key", isToken: false },
  "an access token of it": { caller: "secret_key", isToken: true },
  "a publishable key": { caller: "publishable_key", isToken: false },
  "a dashboard user": { caller: "dashboard_user", isToken: false },
};

/** Steps that are not of the gate's order, each with what denies there. */
const OTHERS = [
  ["`path`", "only if it failed: the path and method exist", "`not_found`"],
  ["`storage`", "only if it failed: the caller could be checked", "`internal`"],
];

function checkTable(): string {
  const rows = CHECKS.map(({ name, about, reasons, specific }) => [
    code(name),
    about,
    (specific === undefined ? reasons : [specific]).map(code).join(", "),
  ]);
  return table(["Step", "What was checked", "What denies there"], [...rows, ...OTHERS]);
}

function orderTable(): string {
  const rows = Object.entries(CALLERS).map(([title, of]) => [
    title,
    CHECKS.filter((check) => check.applies(of))
      .map(({ name }) => code(name))
      .join(", "),
  ]);
  return table(["A call by", "passes these in turn"], rows);
}

function glossaryRow(row: string): string {
  const names = [...new Set(CHECKS.map(({ name }) => code(name)))].join(", ");
  const begin = `| order of checks | ${names} ([list](guides/denied-requests.md#one-request)).`;
  // As wide as it was: a formatter keeps the columns.
  return `${begin.padEnd(row.length - " |".length)} |`;
}

function code(name: string): string {
  return `\`${name}\``;
}

function between(text: string, name: string, generated: string): string {
  const [begin, end] = ["begin", "end"].map((edge) => `<!-- generated: ${name}: ${edge} -->`);
  const [before, rest] = text.split(begin ?? "");
  const after = rest?.split(end ?? "")[1];
  if (before === undefined || after === undefined) throw new Error(`a page lacks ${begin} or ${end}`);
  return `${before}${begin}\n\n${generated}\n\n${end}${after}`;
}
