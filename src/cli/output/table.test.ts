// promise: cli.terminal
import { describe, expect, test } from "vitest";
import type { Column } from "./column.ts";
import { type Layout, record, table } from "./table.ts";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly note?: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { name: "id", text: ({ id }) => id },
  { name: "name", text: ({ name }) => name, shrinks: true },
  { name: "status", text: ({ status }) => status, tone: ({ status }) => (status === "active" ? "good" : "bad") },
  { name: "note", text: ({ note = "" }) => note, onlyInRecord: true },
];
const ROWS: readonly Row[] = [
  { id: "key_1", name: "the key of a very long name", status: "active", note: "kept" },
  { id: "key_2", name: "short", status: "revoked" },
];

const plain = (width: number): Layout => ({ width, paint: (_, text) => text });
const coloured: Layout = { width: 80, paint: (style, text) => `<${style}>${text}</>` };

test("a table has a head and a line for each row, without spaces at the end", () => {
  expect(table(ROWS, COLUMNS, plain(80))).toBe(
    [
      "ID     NAME                         STATUS",
      "key_1  the key of a very long name  active",
      "key_2  short                        revoked",
      "",
    ].join("\n"),
  );
});

test("where the terminal is narrow, only cells that may be shortened are, and no line is wider than it", () => {
  const text = table(ROWS, COLUMNS, plain(32));
  expect(text).toBe(
    ["ID     NAME              STATUS", "key_1  the key of a ve…  active", "key_2  short             revoked", ""].join(
      "\n",
    ),
  );
  for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(32);
});

test("where even that is not enough, each row is a record, and nothing is lost", () => {
  expect(table(ROWS, COLUMNS, plain(20))).toBe(
    [
      "id      key_1",
      "name    the key of a very long name",
      "status  active",
      "",
      "id      key_2",
      "name    short",
      "status  revoked",
      "",
    ].join("\n"),
  );
});

test("a record has a line for each field that is there", () => {
  const [first, second] = ROWS.map((row) => record(row, COLUMNS, plain(80)));
  expect(first).toMatch(/^note {4}kept$/m);
  expect(second).not.toContain("note");
});

test("colours only surround texts, so columns stay in line", () => {
  const [head, first, second] = table(ROWS, COLUMNS, coloured).split("\n");
  expect(head).toBe("<head>ID</>     <head>NAME</>                         <head>STATUS</>");
  expect(first).toBe("key_1  the key of a very long name  <good>active</>");
  expect(second).toBe("key_2  short                        <bad>revoked</>");
});

describe("text that a tenant chose", () => {
  const named = (name: string) => table([{ id: "key_1", name, status: "active" }], COLUMNS, plain(80));

  test.each([
    ["a command to the terminal", "\u001b[2Jgone", "\\u001b[2Jgone"],
    ["a line end", "one\ntwo", "one\\u000atwo"],
    ["a change of direction", "abc\u202edef", "abc\\u202edef"],
    ["a control of eight bits", "\u009b2J", "\\u009b2J"],
  ])("is shown and not obeyed: %s", (_, name, shown) => {
    const text = named(name);
    expect(text).toContain(shown);
    expect(text.split("\n")).toHaveLength(3);
    expect(text).not.toMatch(/[\p{Cc}--\n]|\p{Bidi_Control}/v);
  });

  test("takes as many columns as it has on a terminal", () => {
    const [, line = ""] = table([{ id: "key_1", name: "鍵👍🏽e\u0301", status: "active" }], COLUMNS, plain(80)).split(
      "\n",
    );
    expect(line).toBe("key_1  鍵👍🏽e\u0301  active");
  });

  test("is cut between characters, never within one", () => {
    const [, line = ""] = table([{ id: "key_1", name: "鍵".repeat(20), status: "active" }], COLUMNS, plain(31)).split(
      "\n",
    );
    expect(line).toBe("key_1  鍵鍵鍵鍵鍵鍵鍵…   active");
  });
});
