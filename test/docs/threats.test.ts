import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

interface Case {
  readonly id: string;
  /** Each a file and the name of a test, or of a group of tests, in it. */
  readonly tests: readonly (readonly [path: string, name: string])[];
  /** What no test shows, and why. */
  readonly untested: string | undefined;
  readonly figure: string | undefined;
}

const page = read("docs/threats.md");
const cases = casesOf(page);

function casesOf(text: string): Case[] {
  return text
    .split(/^(?=- \*\*)/m)
    .slice(1)
    .map((block) => ({
      id: /^- \*\*(\w+)\*\*/.exec(block)?.[1] ?? "",
      tests: [...block.matchAll(/^ {2}- `([^`]+\.ts)`: (.+)$/gm)].map(
        ([, path = "", name = ""]) => [path, name] as const,
      ),
      untested: /^ {2}- Not tested: (.+)$/m.exec(block)?.[1],
      figure: /^ {2}- Figure: (.+)$/m.exec(block)?.[1],
    }));
}

/** The ids that a section announces, `K1 to K17.`, in their order. */
function announced(text: string): string[] {
  return [...text.matchAll(/^([A-Z])(\d+) to \1(\d+)\b/gm)].flatMap(([, letter, from, to]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, n) => `${letter}${Number(from) + n}`),
  );
}

/** The names as the file writes them: with `%s` and `$name`, before a case is filled in. */
function hasTest(source: string, name: string): boolean {
  return [`"${name}"`, `'${name}'`, `\`${name}\``].some((title) => source.includes(title));
}

test("docs/threats.md has each case once, in order, and none is missing", () => {
  const ids = cases.map(({ id }) => id);
  expect(ids).toEqual(announced(page));
  expect(new Set(ids).size).toBe(ids.length);
  expect(page).toContain(`${ids.length} cases`);
  expect([...new Set(ids.map((id) => id.slice(0, 1)))].join("")).toBe("KEXPJFDGLRBQH");
});

test("each case names a test that is there", () => {
  const missing = cases.flatMap(({ id, tests }) =>
    tests.filter(([path, name]) => !hasTest(read(path), name)).map(([path, name]) => `${id}: ${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test("each case has a test, or says why not", () => {
  expect(cases.filter(({ tests, untested }) => tests.length === 0 && untested === undefined)).toEqual([]);
});

test("each fault has a figure", () => {
  const faults = casesOf(page.slice(page.indexOf("\n## Faults\n")));
  expect(faults.length).toBeGreaterThan(10);
  expect(faults.filter(({ figure }) => figure === undefined)).toEqual([]);
});

test("a test of another name is not there, and a missing case is noticed", () => {
  expect(hasTest('test("a key is denied", () => {', "a key is denied")).toBe(true);
  expect(hasTest('test("a key is denied", () => {', "a key is")).toBe(false);
  const [first] = page.split(/^(?=- \*\*K2\*\*)/m);
  const rest = page.slice(page.indexOf("- **K3**"));
  expect(casesOf(first + rest).map(({ id }) => id)).not.toEqual(announced(page));
});
