import { describe, expect, test } from "vitest";
import { readAll } from "../../../test/cli/import-reading.ts";
import { pieces } from "../../../test/cli/pieces.ts";

const DIGEST = "1ad9d99b4e8cf23f8de3ededda1b73847c8b5b49f5613cbb79d275f069fffc26";
const MIB = 1_048_576;
const good = (name: string) => ({ hash: DIGEST, name });
const json = (value: unknown) => JSON.stringify(value);

/** A bad object between two good ones, the member with the problem, and a part of its message. */
const BAD_OBJECTS: [what: string, text: string | Buffer, member: string | undefined, message: string][] = [
  ["a huge line", json({ ...good("x"), description: "x".repeat(2 * MIB) }), undefined, "longer than 1 MiB"],
  ["a raw NUL", `{"hash":"${DIGEST}","name":"a\0b"}`, undefined, "not valid JSON"],
  ["an escaped NUL", json({ ...good("a\0b") }), "name", "NUL"],
  ["invalid UTF-8", Buffer.from(json(good("\xff")), "latin1"), undefined, "not valid UTF-8"],
  ["half a surrogate pair in UTF-8", Buffer.from(json(good("\xed\xa0\x80")), "latin1"), undefined, "not valid UTF-8"],
  ["half an object", `{"hash":"${DIGEST}",`, undefined, "not valid JSON"],
  ["an array", "[1]", undefined, "not an array"],
  ["a text", '"x"', undefined, "not a string"],
  ["a member twice", `{"hash":"${DIGEST}","name":"a","name":"b"}`, "name", "twice"],
  ["an inner member twice", `{"hash":"${DIGEST}","metadata":{"a":1,"a":2}}`, "metadata.a", "twice"],
  ["a number beyond 2^53 as an id", `{"hash":"${DIGEST}","external_id":9007199254740993}`, "external_id", "double"],
  [
    "a number beyond 2^53 in metadata",
    `{"hash":"${DIGEST}","metadata":{"a":[9007199254740993]}}`,
    "metadata",
    "double",
  ],
  [
    "a number beyond 2^53 as a limit",
    `{"hash":"${DIGEST}","requests_per_minute":1e400}`,
    "requests_per_minute",
    "whole number",
  ],
  ["a negative limit", json({ ...good("x"), burst_size: -1 }), "burst_size", "whole number"],
  [
    "metadata of a thousand levels",
    `{"hash":"${DIGEST}","metadata":{"a":${"[".repeat(1_000)}${"]".repeat(1_000)}}}`,
    "metadata",
    "32 levels",
  ],
  ["a text of a thousand levels", json({ ...good("x"), metadata: "[".repeat(100_000) }), "metadata", "must be JSON"],
  ["30 February", json({ ...good("x"), expires_at: "2026-02-30T00:00:00Z" }), "expires_at", "1970 to 9999"],
  ["hour 24", json({ ...good("x"), expires_at: "2026-02-27T24:00:00Z" }), "expires_at", "1970 to 9999"],
  ["MySQL's zero", json({ ...good("x"), created_at: "0000-00-00 00:00:00Z" }), "created_at", "1970 to 9999"],
  ["the year 12026", json({ ...good("x"), expires_at: "12026-01-01T00:00:00Z" }), "expires_at", "must be an instant"],
  ["a number for a time", json({ ...good("x"), expires_at: 1_772_352_000 }), "expires_at", "must be an instant"],
  ["a time without a zone", json({ ...good("x"), expires_at: "2027-01-01 00:00:00" }), "expires_at", "no time zone"],
  ["a flag of its own", json({ ...good("x"), disabled: "perhaps" }), "disabled", "true or false"],
  ["scopes of numbers", json({ ...good("x"), permissions: ["a:b", 1] }), "permissions[1]", "must be a text"],
  ["neither hash nor key", json({ name: "x" }), "hash", "missing"],
  ["both hash and key", json({ ...good("x"), key: "acme_0123456789abcdef" }), "hash", "both"],
  ["base64 of the digest's hex", json({ hash: Buffer.from(DIGEST).toString("base64") }), "hash", "not base64 of hex"],
  ["base64 with spare bits", json({ hash: "1ad9d99b4e8cf23f8de3ededda1b73847c8b5b49f57" }), "hash", "SHA256"],
  ["an algorithm of its own", json({ ...good("x"), algorithm: "MD5" }), "algorithm", "SHA512"],
  ["a key with a comma", json({ key: "acme_0123456789,abcdef" }), "key", "fits no key format"],
  ["a key of spaces and letters", json({ key: "acme 0123456789abcdef" }), "key", "fits no key format"],
  ["__proto__", '{"__proto__":{"hash":"x"},"name":"x"}', "hash", "missing"],
];

describe("an object that is hostile or wrong is one problem with its line and member, and the others are read:", () => {
  test.each(BAD_OBJECTS)("%s", async (_, text, member, message) => {
    const file = Buffer.concat(
      [json(good("before")), "\n", text, "\n", json(good("after"))].map((part) => Buffer.from(part)),
    );
    const { read } = await readAll(pieces(file), "ndjson");
    expect(read).toMatchObject([
      { line: 1, row: { name: "before" } },
      { line: 2, problem: { message: expect.stringContaining(message) } },
      { line: 3, row: { name: "after" } },
    ]);
    expect(read[1]?.problem?.member).toBe(member);
    expect(json(read)).not.toMatch(/acme[_ ]0123/);
  });
});

/** Lines of CSV between two good rows. */
const BAD_ROWS: [what: string, text: string | Buffer, member: string | undefined, message: string][] = [
  ["a huge value", `${DIGEST},${"x".repeat(2 * MIB)}`, undefined, "longer than 1 MiB"],
  [
    "a huge value in quotes with lines that look like rows",
    `${DIGEST},"${`\n${DIGEST},injected`.repeat(20_000)}"`,
    undefined,
    "longer than 1 MiB",
  ],
  ["100,000 columns", ",".repeat(100_000), undefined, "more than 1000 columns"],
  ["too few columns", DIGEST, undefined, "has 1 fields, and the header 2"],
  ["a quote in the middle", `${DIGEST},5" pipe`, "name", "not quoted"],
  ["text behind a closing quote", `${DIGEST},"a"b"c`, "name", "closing quote"],
  ["NUL", `${DIGEST},a\0b`, "name", "NUL"],
  ["invalid UTF-8", Buffer.from(`${DIGEST},\xff`, "latin1"), "name", "not valid UTF-8"],
];

describe("a row of CSV that is hostile or wrong is one problem with its line and column, and the others are read:", () => {
  test.each(BAD_ROWS)("%s", async (_, text, member, message) => {
    const lines = ["hash,name", `${DIGEST},before`, text, `${DIGEST},after`];
    const file = Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from("\r\n")]));
    const { read } = await readAll(pieces(file), "csv");
    expect(read).toMatchObject([
      { line: 2, row: { name: "before" } },
      { line: 3, problem: { message: expect.stringContaining(message) } },
      { row: { name: "after" } },
    ]);
    expect(read[1]?.problem?.member).toBe(member);
  });

  test("a quote that is not closed takes the rest, and says where it opens: no line of a value becomes a row", async () => {
    const { read } = await readAll(pieces(`hash,name\n${DIGEST},before\n${DIGEST},"open\n${DIGEST},after\n`), "csv");
    expect(read).toMatchObject([
      { line: 2, row: { name: "before" } },
      { line: 3, problem: { member: "name", message: expect.stringContaining("line 3") } },
    ]);
    expect(read).toHaveLength(2);
  });

  test("a name of two columns refuses the rows of a reader that reads it, and nothing else", async () => {
    const text = `hash,id,name,id\n${DIGEST},1,a,2\n`;
    expect((await readAll(pieces(text), "csv")).read).toMatchObject([{ line: 2, row: { name: "a" } }]);
    const twice = await readAll(pieces(text.replaceAll("id", "name")), "csv");
    expect(twice.read).toMatchObject([{ line: 2, problem: { member: "name", message: "is the name of two columns" } }]);
  });

  test.each([
    ["100,000 columns in the header", `hash${",x".repeat(100_000)}\n`, "more than 1000 columns"],
    ["another table", "id,name\n1,a\n", "hash or key"],
    ["YAML", "_format_version: '3.0'\nconsumers:\n", "neither JSON nor"],
    ["UTF-16", Buffer.from("\ufeffhash,name\n", "utf16le"), "UTF-16"],
  ])("%s is one problem of the file", async (_, text, message) => {
    const { read } = await readAll(pieces(text), "csv");
    expect(read).toMatchObject([{ line: 1, problem: { message: expect.stringContaining(message) } }]);
    expect(read).toHaveLength(1);
  });
});

describe("an element of a JSON document", () => {
  test("that is hostile is one problem, and the others are read", async () => {
    const elements = [
      '{"hash":"a","name":NaN}',
      "7",
      '"text"',
      `{"x":"${"x".repeat(2 * MIB)}"}`,
      `{"token":"${DIGEST}"}`,
    ];
    const { read } = await readAll(pieces(`[\n${elements.join(",\n")}\n]`), "litellm");
    expect(read).toMatchObject([
      { line: 2, problem: { message: "is not valid JSON" } },
      { line: 3, problem: { message: "must be a JSON object, not a number" } },
      { line: 4, problem: { message: "must be a JSON object, not a string" } },
      { line: 5, problem: { message: "is longer than 1 MiB" } },
      { line: 6, row: { hash: { digest: DIGEST } } },
    ]);
  });

  test.each([
    ["in an element", `[{"token":"${DIGEST}"},\n{"token":`, 2],
    ["in a text", `[{"token":"${DIGEST}"},\n{"token":"\\`, 2],
    ["behind an element", `{"keys":[{"token":"${DIGEST}"}\n`, 1],
  ])("that is cut off %s is a problem, since keys may be missing", async (_, text, line) => {
    const { read } = await readAll(pieces(text), "litellm");
    expect(read.at(-1)).toMatchObject({ line, problem: { message: "is cut off: the file ends within it" } });
  });

  test.each([
    ["of another type", `{"data":[],"next":{}}`, []],
    ["of two pages", `{"data":[],"next":null,"next":"x"}`, [{ line: 1, problem: { member: "next" } }]],
    [
      "behind services of 2 MiB",
      `{"services":["${"x".repeat(2 * MIB)}"],"data":[{"key":""}],"next":null}`,
      [{ problem: { member: "key" } }],
    ],
  ])("is read beside a link to the next page %s", async (_, text, problems) => {
    const { read } = await readAll(pieces(text), "kong");
    expect(read).toMatchObject(problems);
    expect(read).toHaveLength(problems.length);
  });

  test("text and brackets around documents are problems with their lines", async () => {
    const { read } = await readAll(pieces(`[]\nnull\n]\n[{"token":"${DIGEST}"}]`), "litellm");
    expect(read).toMatchObject([
      { line: 2, problem: { message: "is not within an object or an array" } },
      { line: 3, problem: { message: "is not within an object or an array" } },
      { line: 4, row: {} },
    ]);
  });
});

test("a different member in each row keeps a bounded number of them", async () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => json({ ...good("x"), [`member${index}`]: 1 }));
  const { findings } = await readAll(pieces(lines.join("\n")), "ndjson");
  expect(findings.lost).toHaveLength(1_001);
  expect(findings.lost[0]).toEqual({ member: "(other members)", keys: 2_000 });
});
