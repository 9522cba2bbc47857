// promise: bodies.cost
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { costProblem, type Grown } from "../harness/cpu-cost.ts";
import type { Parser } from "./parsers/parser.ts";
import { PARSERS } from "./parsers/parsers.ts";

// Whoever can send a megabyte must not be able to stop a process with it: a parser takes as long as its input is.

/** The longest head, and the longest form. Of what may be longer, a quadratic parser shows at this length. */
const CHARS = 65_536;
/** What inputs are made of, beside the words of a parser's format: separators, quotes, escapes, blanks, digits, nesting. */
const PIECES = [
  ...[" ", "\t", "\n", ",", ", ", ";", "; ", ":", "::", ".", "-", "_", "/", "//", "=", "&", "?", "#", "@", "*", "+"],
  ...['"', '""', '\\"', "\\", "\\u00e9", "%", "%2", "%00", "%C3%A9", "[", "[[]", "(", "{}", '{"a":', '"a":1,', "'"],
  ...["a", "a.", "a,", "a=", "a b ", "x:", "0", "1.", "00000000", "é", "\x00", "\xff", "\x80", "e30", "eyJhIjoxfQ."],
  // Fields of binary messages: texts, messages in each other, maps, groups, numbers of ten bytes.
  ...["\x0a\x00", "\x0a\x01a", "\x12\x02\x0a\x00", "\x0a\x04\x0a\x02\x0a\x00", "\x0b", "\x0b\x0c", "\x08\xff\xff\x01"],
];
/** Parts of which no two are alike. */
const NUMBERED: readonly ((n: number) => string)[] = [
  (n) => `n${n}=v&`,
  (n) => `scope=n${n}:read&`,
  (n) => `"n${n}":${n},`,
  (n) => `x-n${n}: v\n`,
  (n) => `n${n}, `,
];

/** Each sort of input for a parser: its pieces again and again, alone and within a valid input. */
function sortsOf({ seeds: [seed = ""], words }: Parser): [name: string, grown: Grown<Buffer>][] {
  const middle = Math.floor(seed.length / 2);
  const around = [
    ["", ""],
    [seed.slice(0, middle), seed.slice(middle)],
    [seed, ""],
    [seed.slice(0, 1), ""],
  ] as const;
  const repeated = [...new Set([...PIECES, ...words, seed])].map(
    (piece) => [piece, (chars: number) => piece.repeat(chars / piece.length)] as const,
  );
  const numbered = NUMBERED.map(
    (part) =>
      [
        part(0),
        (chars: number) => Array.from({ length: chars / part(10_000).length }, (_, n) => part(n)).join(""),
      ] as const,
  );
  return [...repeated, ...numbered].flatMap(([piece, text]) =>
    around.map(([before, after]): [string, Grown<Buffer>] => [
      JSON.stringify([before.slice(-8), piece.slice(0, 20), after.slice(0, 8)]),
      (chars) => Buffer.from(before + text(chars) + after, "latin1"),
    ]),
  );
}

/** What a parser says of an input is for others to test. */
async function parsed(parser: Parser, input: Buffer): Promise<void> {
  try {
    await parser.parse(input);
  } catch {
    // Most are refused.
  }
}

/** The first sort that costs too much. */
async function problemOf(parser: Parser, chars = CHARS): Promise<string | undefined> {
  for (const [name, grown] of sortsOf(parser)) {
    const problem = await costProblem(grown, chars, (input) => parsed(parser, input));
    if (problem !== undefined) return `${name} ${problem}`;
  }
  return undefined;
}

describe("a text of 64 KiB takes less than 50 ms, and four times as long as a quarter of it", () => {
  test.each(Object.entries(PARSERS))("%s", async (_name, parser) => {
    expect(await problemOf(parser)).toBeUndefined();
  });
});

/** The files that the parsers' table loads. */
function loadedFrom(path: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, from = ""] of readFileSync(path, "utf8").matchAll(
    /^(?:import|\} from|export \{[^}]*\} from) ?[^"]*"(\.[^"]+\.ts)"/gm,
  ))
    loadedFrom(join(dirname(path), from), found);
  return found;
}

// threat: Q2
test("every file of the transport that reads requests is loaded by the table", () => {
  const loaded = loadedFrom("test/fuzz/parsers/parsers.ts");
  const files = globSync("src/transport/request/**/*.ts", { exclude: ["**/*.test.ts"] });
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((path) => !loaded.has(path))).toEqual([]);
});

describe("what is found", () => {
  const parser = (parse: Parser["parse"]): Parser => ({ seeds: ["a=1&b=2"], words: [], parse });

  // threat: Q2
  test("a form that is searched for each of its names", async () => {
    const form = parser((bytes) => {
      const names = new URLSearchParams(bytes.toString());
      for (const name of new Set(names.keys())) names.getAll(name);
    });
    expect(await problemOf(form, 32_768)).toContain("n0=v&");
  });

  test("a pattern that looks for an end at each blank", async () => {
    expect(
      await problemOf(
        parser((bytes) => /[ \t]+$/.test(bytes.toString())),
        32_768,
      ),
    ).toContain('" "');
  });
});
