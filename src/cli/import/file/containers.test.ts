import fc from "fast-check";
import { expect, test } from "vitest";
import { pieces } from "../../../../test/cli/pieces.ts";
import { type Layout, recordsOf } from "./records.ts";

const ROW = { key: fc.string({ unit: "binary" }), name: fc.string({ unit: "grapheme" }) };
const rows = fc.array(fc.record(ROW), { minLength: 1, maxLength: 5 });
const size = fc.integer({ min: 1, max: 7 });
/** NUL has tests of its own. */
const clean = (text: string) => text.replaceAll("\0", "");

async function namesOf(file: string, bytes: number, layout: Layout) {
  const names: unknown[] = [];
  for await (const records of recordsOf(pieces(file, bytes), layout))
    for (const { row, problem } of records)
      names.push(problem?.message ?? [row?.text("key") ?? "", row?.text("name") ?? ""]);
  return names;
}

test("CSV comes back as it was written, in pieces of any size", async () => {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(rows, size, fc.constantFrom("\n", "\r\n"), async (all, bytes, end) => {
      const values = all.map(({ key, name }) => [clean(key).toWellFormed(), clean(name).toWellFormed()]);
      const csv = [["key", "name"], ...values].map((row) => row.map(quoted).join(",")).join(end);
      const read = await namesOf(`\uFEFF${csv}`, bytes, { kind: "csv", columns: ["key"] });
      expect(read).toEqual(values.map((row) => row.map((value) => (value === "\\N" ? "" : value))));
    }),
  );
});

const asLines = (all: readonly object[]) => all.map((each) => JSON.stringify(each)).join("\n");
const asPage = (all: readonly object[]) =>
  JSON.stringify({ a: [1, { b: [] }], next: null, keys: all, total: { keys: [{}] } });

test.each<[string, (all: readonly object[]) => string, Layout]>([
  ["objects on lines", asLines, { kind: "ndjson" }],
  ["objects behind one another", asLines, { kind: "json" }],
  ["an array", (all) => JSON.stringify(all), {}],
  ["an array over many lines", (all) => JSON.stringify(all, null, 2), {}],
  ["an object on each line, by its first lines", (all) => `\n${asLines(all)}\n`, {}],
  [
    "a page with an object on each line",
    (all) => `{"keys":[\n${all.map((each) => JSON.stringify(each)).join(",\n")}]}`,
    { lists: new Set(["keys"]) },
  ],
  ["a page", asPage, { lists: new Set(["keys"]) }],
  [
    "pages behind one another",
    (all) => all.map((each) => asPage([each])).join("\n\n"),
    { lists: new Set(["keys"]), kind: "json" },
  ],
])("JSON as %s comes back as it was written, in pieces of any size", async (_, write, layout) => {
  await fc.assert(
    fc.asyncProperty(rows, size, async (all, bytes) => {
      const values = all.map(({ key, name }) => ({ key: clean(key), name: clean(name), inner: [{ "}": "]" }, "[{,"] }));
      const read = await namesOf(write(values), bytes, layout);
      expect(read).toEqual(values.map(({ key, name }) => [key, name]));
    }),
  );
});

test("a reader that stops early closes the file", async () => {
  let isClosed = false;
  async function* endless() {
    try {
      for (;;) yield Buffer.from('{"key":"a"}\n');
    } finally {
      isClosed = true;
    }
  }
  let rowsRead = 0;
  for await (const records of recordsOf(endless(), {})) {
    rowsRead += [...records].length;
    if (rowsRead >= 10_000) break;
  }
  expect([rowsRead, isClosed]).toEqual([10_000, true]);
});
