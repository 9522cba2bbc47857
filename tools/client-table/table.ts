import { readFileSync } from "node:fs";
import { table } from "../authorization-tables/markdown-table.ts";
import { type Client, FEATURES } from "./features.ts";

export const PAGE = new URL("../../docs/guides/other-languages.md", import.meta.url);
const BEGIN = "<!-- generated: clients: begin -->";
const END = "<!-- generated: clients: end -->";

const COLUMNS: Readonly<Record<Client, string>> = {
  typescript: "TypeScript",
  go: "Go",
  python: "Python",
  swift: "Swift",
  generated: "Only generated code",
};

/** The page with the table as it is now. */
export function withTable(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${PAGE.pathname} lacks ${BEGIN} or ${END}`);
  return `${before}${BEGIN}\n\n${markdown()}\n\n${END}${after}`;
}

function markdown(): string {
  const clients = Object.keys(COLUMNS) as Client[];
  const rows = FEATURES.map(({ title, cells }) => [
    title,
    ...clients.map((client) => {
      const cell = cells[client];
      return typeof cell === "string" ? cell : cell.instead;
    }),
  ]);
  return table(["", ...Object.values(COLUMNS)], [...manifestRows(), ...rows]);
}

/** What the packages' manifests say, in the order of the columns. */
function manifestRows(): string[][] {
  const npm = JSON.parse(text("typescript/package.json"));
  const [go, python, swift] = [text("go/go.mod"), text("python/pyproject.toml"), text("swift/Package.swift")];
  const names = [
    `\`${npm.name}\``,
    `\`${found(go, /^module (\S+)/m)}\``,
    `\`${found(python, /^name = "(.+)"/m)}\``,
    `\`${found(swift, /\.library\(name: "(\w+)"/)}\``,
    "[any language](#any-other-language), such as [Kotlin](#kotlin)",
  ];
  const needs = [
    `Node ${found(npm.engines.node, />=(.+)/)}, browsers, workers`,
    `Go ${found(go, /^go (\d+\.\d+)/m)}`,
    `Python ${found(python, /requires-python = ">=(.+)"/)}`,
    `Swift ${found(swift, /swift-tools-version:(\S+)/)}`,
    "what its generator needs",
  ];
  const dependencies = [
    Object.keys(npm.dependencies).length,
    all(listIn(go, "\nrequire (", ")"), /^\t\S+ v/gm),
    all(listIn(python, "\ndependencies = [", "]"), /^ {2}"/gm),
    all(swift, /\.package\(/g),
    "the generator's",
  ];
  return [
    ["Package", ...names],
    ["Needs", ...needs],
    ["Dependencies of its own", ...dependencies.map((count) => (count === 0 ? "none" : String(count)))],
  ];
}

const text = (path: string): string => readFileSync(new URL(`../../clients/${path}`, import.meta.url), "utf8");

const all = (source: string, pattern: RegExp): number => [...source.matchAll(pattern)].length;

/** What stands between two texts. */
function listIn(source: string, begin: string, end: string): string {
  const from = source.indexOf(begin);
  const to = source.indexOf(end, from + begin.length);
  if (from < 0 || to < 0) throw new Error(`"${begin.trim()}" finds nothing`);
  return source.slice(from + begin.length, to);
}

function found(source: string, pattern: RegExp): string {
  const [, value] = pattern.exec(source) ?? [];
  if (value === undefined) throw new Error(`${pattern} finds nothing`);
  return value;
}
