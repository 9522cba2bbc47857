import { describe, expect, test } from "vitest";
import { hasMoreParts } from "./json-parts.ts";

/** The number of parts, found by the bound that is just high enough. */
function partsOf(json: string): number {
  const bytes = Buffer.from(json);
  let max = 0;
  while (hasMoreParts(bytes, max)) max++;
  return max;
}

describe("the parts of a JSON text", () => {
  test.each([
    ["", 0],
    ["1", 0],
    ["{}", 1],
    ["[]", 1],
    ["[[]]", 2],
    ['{"a":1}', 2],
    ['{"a":1,"b":[2,3]}', 6],
    ['{"a,b":"{[:,"}', 2],
    ['["\\"","\\\\",","]', 3],
    ['["\\\\\\","]', 1],
    ['["é{","😀,"]', 2],
  ])("in %s are %i", (json, parts) => expect(partsOf(json)).toBe(parts));

  test("are not counted in a text that is too short for more", () => {
    expect(hasMoreParts(Buffer.from("[[["), 3)).toBe(false);
    expect(hasMoreParts(Buffer.from("[[["), 2)).toBe(true);
  });
});
