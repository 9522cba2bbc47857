import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { FOLDER, PAGES, pageOf } from "../../tools/trace/pages.ts";
import { readTags, tagsOf } from "../../tools/trace/tags.ts";

/** With `#` in place of the slashes, so that this file has no such tags. */
const CODE = `# promise: keys.shape, keys.once
import { test } from "vitest";

# threat: K1, K2
test("a key is denied", () => {});

describe("a row", () => {
  # threat: K3
  # Why this is so.
  test.each([
    ["one", (form) => form("two")],
    # threat: K4
    ["of a table", () => 1],
  ])("%s is refused", { timeout: 1 }, async (name) => {});

  # promise: keys.shape
  for (const one of ALL) test(\`\${one} is refused\`, () => {});
});
`.replaceAll("#", "//");

test("a tag belongs to what follows it, or to the file", () => {
  const path = "src/x.test.ts";
  expect(tagsOf(path, CODE)).toEqual([
    { kind: "promise", id: "keys.shape", path, test: undefined },
    { kind: "promise", id: "keys.once", path, test: undefined },
    { kind: "threat", id: "K1", path, test: "a key is denied" },
    { kind: "threat", id: "K2", path, test: "a key is denied" },
    { kind: "threat", id: "K3", path, test: "%s is refused" },
    { kind: "threat", id: "K4", path, test: "of a table" },
    { kind: "promise", id: "keys.shape", path, test: `\${one} is refused` },
  ]);
});

test.each(PAGES)("docs/reference/$name is what npm run generate writes", async (page) => {
  expect(await readFile(new URL(page.name, FOLDER), "utf8")).toBe(pageOf(page, readTags()));
});
