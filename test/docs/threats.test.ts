import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { idsOf } from "../../tools/trace/pages.ts";
import { readTags } from "../../tools/trace/tags.ts";

const page = readFileSync(new URL("../../docs/threats.md", import.meta.url), "utf8");
const ids = idsOf("threats.md");
const tagged = new Set(readTags().flatMap(({ kind, id }) => (kind === "threat" ? [id] : [])));

test("docs/threats.md has each id once, in order, and without a gap", () => {
  const letters = [...new Set(ids.map((id) => id.slice(0, 1)))];
  expect(letters.join("")).toBe("KEXPJFDGLRBQH");
  const contiguous = letters.flatMap((letter) =>
    ids.filter((id) => id.startsWith(letter)).map((_, n) => `${letter}${n + 1}`),
  );
  expect(ids).toEqual(contiguous);
});

test("each threat has a test, and each tag names a threat", () => {
  expect([...tagged].sort()).toEqual([...ids].sort());
});

test("each fault has a figure", () => {
  const faults = page.slice(page.indexOf("\n## Faults\n")).match(/^- \*\*H\d+\*\* .+$/gm) ?? [];
  expect(faults.length).toBeGreaterThan(10);
  expect(faults.filter((fault) => !/\d/.test(fault.slice("- **H17**".length)))).toEqual([]);
});
