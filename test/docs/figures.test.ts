import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const PAGES = [
  ...[
    "README.md",
    "docs/comparison.md",
    "docs/home.md",
    "docs/scale.md",
    "docs/storage.md",
    "docs/outages.md",
    "docs/architecture.md",
  ],
  "docs/guides/production.md",
];
const NUMBER = /\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?/;
/** Requests of a second, and what one takes. */
const FIGURE = new RegExp(`(${NUMBER.source})(?: (?:limited|unlimited))?(?: requests a second| µs)`, "g");

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** Of the tables of docs/benchmarks.md. */
const measured = read("docs/benchmarks.md")
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .flatMap((line) => line.split("|"))
  .map((cell) => cell.trim())
  .filter((cell) => new RegExp(`^(?:${NUMBER.source})$`).test(cell))
  .map(toNumber);

function toNumber(text: string): number {
  return Number(text.replaceAll(",", ""));
}

/** Of a page, what it calls measured: up to the word, within a sentence or a cell. */
function figuresOf(text: string): string[] {
  return text.split(/[|;:]|\.\s/).flatMap((clause) => {
    const end = clause.lastIndexOf("measured");
    const claimed = clause.includes("from the measured") ? clause : clause.slice(0, Math.max(end, 0));
    return [...claimed.matchAll(FIGURE)].map(([, figure = ""]) => figure);
  });
}

/** A page may round a figure to three digits. */
function isMeasured(figure: string): boolean {
  const value = toNumber(figure);
  return measured.some(
    (cell) => cell === value || Number(cell.toPrecision(3)) === value || Number(cell.toPrecision(2)) === value,
  );
}

test.each(PAGES)("what %s calls measured is in a table of docs/benchmarks.md", (path) => {
  expect(figuresOf(read(path)).filter((figure) => !isMeasured(figure))).toEqual([]);
});

test("so are the README's milliseconds, and one that nothing measured is found", () => {
  const unmeasured = (text: string) =>
    Array.from(text.matchAll(/(\d+) ms\b.*\(measured\)/g), ([, figure = ""]) => figure).filter(
      (one) => !isMeasured(one),
    );
  expect(unmeasured(read("README.md"))).toEqual([]);
  expect(unmeasured("| acknowledges a revocation | in 98765 ms (measured) |")).toEqual(["98765"]);
});

test("docs/scale.md names figures, and one that nothing measured is found", () => {
  expect(figuresOf(read("docs/scale.md")).length).toBeGreaterThan(5);
  expect(figuresOf("A replica makes 98,700 requests a second (measured).").filter((one) => !isMeasured(one))).toEqual([
    "98,700",
  ]);
});
