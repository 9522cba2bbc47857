import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** The packages that a manifest installs, without our own. */
function dependenciesOf(path: string): string[] {
  const { dependencies, devDependencies } = JSON.parse(read(path));
  const versions = Object.entries<string>({ ...dependencies, ...devDependencies });
  return versions.filter(([, version]) => !version.startsWith("file:")).map(([name]) => name);
}

const page = read("docs/dependencies.md");
const named = new Set([...page.matchAll(/`([^`\s]+)`/g)].map(([, name = ""]) => name));
const ON_DEMAND = ["package.json", "buf/package.json", "lint/package.json"].map((path) => `tools/on-demand/${path}`);
const installed = ["package.json", "clients/typescript/package.json", ...ON_DEMAND].flatMap(dependenciesOf);

test("docs/dependencies.md names every package that a manifest installs", () => {
  expect(installed.filter((name) => !named.has(name))).toEqual([]);
});

test("the tables of docs/dependencies.md name only installed packages", () => {
  const rows = [...page.matchAll(/^\| (`[^|]+`) +\|/gm)].map(([, cell = ""]) => cell);
  const listed = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
  expect(listed.length).toBeGreaterThan(50);
  expect(listed.filter((name) => !installed.includes(name))).toEqual([]);
});
