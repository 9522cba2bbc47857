import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { countWeight } from "../../tools/weight/count.ts";
import { excess, PAGE, readLedger, renewed, withTable } from "../../tools/weight/ledger.ts";

test("nothing weighs more than bench/weight.json allows", () => {
  expect(excess(countWeight(), readLedger())).toEqual([]);
});

test("a line, a word and an unknown count too many are found, and fewer are not", () => {
  const ledger = { "src, lines": 100, "documentation, words": 100 };
  expect(excess({ "src, lines": 101, "documentation, words": 99 }, ledger)).toEqual(["src, lines: 101, ledger 100"]);
  expect(excess({ "src, lines": 100, megabytes: 1 }, ledger)).toEqual([
    "megabytes: only counted",
    "documentation, words: only in the ledger",
  ]);
});

test("a measure that this machine cannot take neither fails nor is lost, and one that it takes is compared", () => {
  const ledger = { files: 1, "npm ci, MB": 100 };
  expect(excess({ files: 1 }, ledger)).toEqual([]);
  expect(excess({ files: 1, "npm ci, MB": 101 }, ledger)).toEqual(["npm ci, MB: 101, ledger 100"]);
  expect(renewed({ files: 2 }, ledger)).toEqual({ files: 2, "npm ci, MB": 100 });
});

test("CONTRIBUTING.md has the table of the ledger", () => {
  const page = readFileSync(PAGE, "utf8");
  expect(withTable(page, readLedger())).toBe(page);
});
