import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { syntaxFaultAt } from "./syntax-fault.ts";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("where a text stops being JSON", () => {
  test("is nowhere in JSON, and somewhere in everything else", () => {
    const pieces = [
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      '"a"',
      "1",
      "-",
      "0",
      ".5",
      "e9",
      "true",
      "null",
      " ",
      "\n",
      "\\u00e9",
    ];
    const scraps = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(""));
    const cut = fc.tuple(fc.json(), fc.nat(), fc.constantFrom("", ...pieces)).map(([json, n, piece]) => {
      const at = n % (json.length + 1);
      return json.slice(0, at) + piece + json.slice(at + 1);
    });
    fc.assert(
      fc.property(fc.oneof(scraps, cut, fc.json(), fc.string({ unit: "binary" })), (text) => {
        expect(syntaxFaultAt(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["", 0],
    ["{", 1],
    ['{"page":1,}', 10],
    ['{"page":}', 8],
    ['{"page" 1}', 8],
    ["{} {}", 3],
    ["[1,2", 4],
    ['{"a":tru}', 5],
    ['{"a":01}', 5],
    ['{"a":"b\nc"}', 5],
    ["{'a':1}", 1],
    ['{\n "a": 1\n "b": 2}', 11],
  ])("of %j is %i", (text, at) => expect(syntaxFaultAt(text)).toBe(at));

  test("is found in a megabyte of text within a moment", () => {
    for (const long of ["x".repeat(1_000_000), String.raw`\n`.repeat(500_000)]) {
      expect(syntaxFaultAt(`{"a":"${long}"`)).toBe(long.length + 7);
      expect(syntaxFaultAt(`{"a":"${long}`)).toBe(5);
    }
  });
});
